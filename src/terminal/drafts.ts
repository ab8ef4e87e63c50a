/** Keeps texts that were not sent, also if the chat is killed. Without an id: of the thread that the first message will begin. */
export type DraftStore = {
  read(threadId: string | undefined): Promise<string>;
  keep(threadId: string | undefined, text: string): Promise<void>;
};

type Options = {
  readonly store: DraftStore;
  /** The thread that is opened first. */
  readonly threadId: string | undefined;
  readonly composer: { get(): string; set(text: string): void };
  /** The thread on the screen; undefined until there is one. */
  readonly shownThread: () => string | undefined;
  /** What the person has typed besides the text in the composer. */
  readonly besides: () => readonly string[];
};

export type Drafts = ReturnType<typeof createDrafts>;

/** No text that a person has typed gets lost: it is in the composer, with its thread until the next visit, or with the service. */
export function createDrafts({ store, threadId, composer, shownThread, besides }: Options) {
  const unsent = new Set<{ readonly text: string }>();
  let at = threadId;
  let isChanging = false;

  function giveBack(text: string): void {
    if (text.trim() !== '') composer.set(joinTexts(text, composer.get()));
  }

  /** The first message has made the thread: what is typed belongs there. */
  function followThread(): void {
    const before = at;
    at = shownThread() ?? at;
    if (at !== before) void store.keep(before, '');
  }

  return {
    /** Puts a text into the composer, before what is typed there. */
    giveBack,
    /** What is kept, is there again. */
    async restore(): Promise<void> {
      giveBack(await store.read(at));
    },
    /** Keeps what the service does not have yet. */
    async keep(): Promise<void> {
      if (!isChanging) followThread();
      const others = isChanging ? [] : besides();
      await store.keep(at, joinTexts(...Array.from(unsent, ({ text }) => text), ...others, composer.get()));
    },
    /** Sends a text. It is back in the composer if that fails. */
    async whileSending<T>(text: string, send: () => Promise<T>): Promise<T> {
      const sending = { text };
      unsent.add(sending);
      try {
        return await send();
      } catch (error) {
        giveBack(text);
        throw error;
      } finally {
        unsent.delete(sending);
      }
    },
    /** Goes to another thread: what is typed stays here, and what was left there comes back. */
    async change(to: string | undefined, go: () => Promise<void> | void): Promise<void> {
      const found = await store.read(to);
      followThread();
      const left = { at, text: composer.get() };
      const kept = joinTexts(...besides(), left.text);
      void store.keep(left.at, kept);
      isChanging = true;
      at = to;
      composer.set(at === left.at ? kept : found);
      try {
        await go();
      } catch (error) {
        at = left.at;
        composer.set(left.text);
        throw error;
      } finally {
        isChanging = false;
      }
    },
  };
}

/** One text after the other, as one draft. */
const joinTexts = (...texts: readonly string[]): string => texts.filter((text) => text.trim() !== '').join('\n');
