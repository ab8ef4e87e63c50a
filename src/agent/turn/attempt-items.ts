import type { ItemId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { Item, WrittenItem } from '#domain/thread/item.ts';
import { positionItems, type Turn } from '#domain/thread/turn.ts';
import type { TurnRun } from '#engine/running/turn-run.ts';
import type { TurnEnd } from '#engine/statements/settle.ts';

export type AttemptItems = ReturnType<typeof createAttemptItems>;

/** Items that are written together with the end of the turn. */
type Deferred = {
  readonly items: readonly WrittenItem[];
  readonly placed: readonly Item[];
  readonly call: ModelCall | null;
};

/** The thread as an attempt knows it, and the items that the attempt adds. `announce` is called with items that are written. */
export function createAttemptItems(
  turn: Turn,
  run: Pick<TurnRun, 'append'>,
  announce: (items: readonly Item[]) => void,
) {
  const thread: Item[] = [];
  const deferred: Deferred[] = [];
  let isLoaded = false;
  const own = () => thread.filter((item) => item.turnSeq === turn.seq);

  function place(items: readonly WrittenItem[]): Item[] {
    const placed = positionItems(turn, own().length, items);
    thread.push(...placed);
    return placed;
  }

  return {
    thread: thread as readonly Item[],
    /** The items of this turn. */
    own,
    load(history: readonly Item[]): void {
      thread.push(...history);
      isLoaded = true;
    },
    /** `delivers`: the calls whose reports are among the items. */
    async append(
      items: readonly WrittenItem[],
      call: ModelCall | null = null,
      delivers?: readonly ItemId[],
    ): Promise<Item[]> {
      await run.append(own().length, items, call, delivers);
      const placed = place(items);
      announce(placed);
      return placed;
    },
    /** Adds items after which the turn ends; the end of the turn writes them. */
    defer(items: readonly WrittenItem[], call: ModelCall | null = null): Item[] {
      const placed = place(items);
      deferred.push({ items, placed, call });
      return placed;
    },
    isDeferred: (): boolean => deferred.length > 0,
    /** What the engine writes when the turn ends. */
    end(): Required<Pick<TurnEnd, 'last' | 'calls' | 'onWritten'>> {
      const items = deferred.flatMap((each) => each.items);
      return {
        last: { position: isLoaded ? own().length - items.length : null, items },
        calls: deferred.flatMap(({ call }) => call ?? []),
        onWritten: () => announce(deferred.flatMap(({ placed }) => placed)),
      };
    },
  };
}
