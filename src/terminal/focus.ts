import type { Entry } from './entries.ts';

/** What the person sees of the thread: which entry has the focus, which calls are unfolded, and what was cleared away. */
export type Focus = {
  /** All entries that were not cleared away. */
  shown(): readonly Entry[];
  /** The entry with the focus; undefined while the composer has it. */
  entry(): Entry | undefined;
  id(): string | undefined;
  /** Goes to an entry; undefined: to the composer. */
  on(id: string | undefined): void;
  /** Goes to the next older entry, or with -1 to the next newer one. */
  move(step: 1 | -1): void;
  /** Unfolds or folds a call. */
  fold(id: string): void;
  readonly unfolded: ReadonlySet<string>;
  /** Clears all entries away. */
  clear(): void;
};

export function createFocus(entries: () => readonly Entry[], draw: () => void): Focus {
  const unfolded = new Set<string>();
  let cleared: string | undefined; // the last entry that was cleared away
  let focused: string | undefined;

  function shown(): readonly Entry[] {
    const all = entries();
    return cleared === undefined ? all : all.slice(all.findLastIndex(({ id }) => id === cleared) + 1);
  }
  function on(id: string | undefined): void {
    focused = id;
    draw();
  }
  return {
    shown,
    entry: () => shown().find(({ id }) => id === focused),
    id: () => focused,
    on,
    move: (step) => on(nextFocus(shown(), focused, step)),
    fold(id) {
      if (!unfolded.delete(id)) unfolded.add(id);
      draw();
    },
    unfolded,
    clear() {
      cleared = entries().at(-1)?.id;
    },
  };
}

/**
 * What Tab goes to: from the composer (undefined) to the question that is open, then to the newest waiting message, call or
 * message with other versions, on to older ones, and back.
 */
function nextFocus(entries: readonly Entry[], focused: string | undefined, step: 1 | -1): string | undefined {
  const newest = entries.filter(isFocusable).toReversed();
  const isGate = ({ kind }: Entry) => kind === 'gate';
  const inOrder = [...newest.filter(isGate), ...newest.filter((entry) => !isGate(entry))];
  const ring = [undefined, ...inOrder.map(({ id }) => id)];
  return ring.at((ring.indexOf(focused) + step) % ring.length);
}

const isFocusable = (entry: Entry) =>
  entry.kind === 'tool' ||
  entry.kind === 'queued' ||
  (entry.kind === 'said' && (entry.version !== undefined || entry.isRefused === true)) ||
  (entry.kind === 'gate' && entry.answer === undefined);
