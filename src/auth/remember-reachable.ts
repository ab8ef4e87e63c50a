const REMEMBER_MS = 1000;

/** Asks `check` at most once a second, however many want to know. */
export function rememberReachable(check: () => Promise<boolean>): () => Promise<boolean> {
  let last: Promise<boolean> | undefined;
  let until = 0;

  return () => {
    if (last && performance.now() < until) return last;
    until = Number.POSITIVE_INFINITY; // while it is being asked
    last = check().finally(() => {
      until = performance.now() + REMEMBER_MS;
    });
    return last;
  };
}
