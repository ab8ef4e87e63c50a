export type Remembered<T> = {
  readonly read: () => Promise<T>;
  /** The next reader loads again. */
  readonly forget: () => void;
};

/** Loads at most once in `ms`, for any number of readers. A failure is not remembered. */
export function remember<T>(ms: number, load: () => Promise<T>): Remembered<T> {
  let last: { readonly value: Promise<T>; readonly at: number } | undefined;
  return {
    read() {
      if (last && performance.now() - last.at < ms) return last.value;
      const loaded = { value: load(), at: performance.now() };
      last = loaded;
      loaded.value.catch(() => {
        if (last === loaded) last = undefined;
      });
      return loaded.value;
    },
    forget() {
      last = undefined;
    },
  };
}
