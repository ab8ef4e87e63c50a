import type { Principal } from '#domain/principal.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn, TurnRecord } from '#domain/thread/turn.ts';
import {
  contentOf,
  firstSequence,
  isGap,
  missingEvents,
  type NumberedEvent,
  type TurnEvent,
} from '#domain/thread/turn-event.ts';
import type { Engine } from '#engine/engine.ts';
import { fillGaps } from './fill-gaps.ts';

export type WatchOptions = {
  /** The last event that the caller has. Without it, all events follow. */
  readonly after?: number;
  /** The caller has just started the turn, so it has missed no events. */
  readonly fresh?: boolean;
  /** The caller shows nothing before the turn has ended. */
  readonly onlyEnd?: boolean;
  readonly signal: AbortSignal;
};

/** Follows a turn of the owner to its end, on any replica. */
export type WatchOwnTurn = (owner: Principal, turn: Turn, options: WatchOptions) => AsyncGenerator<NumberedEvent, void>;

/** How long after the end of a turn its log may still be written, by a replica that was held up. */
const LATE_LOG_MS = 600_000;

/**
 * Follows a turn from its first event, or from after `after`, to its end, wherever it runs. Where the log is gone,
 * the rest is made from the stored items, under numbers that no attempt ever used; nothing comes after the last event.
 */
export async function* watchTurn(
  engine: Engine,
  turn: Turn,
  options: Parameters<Engine['watch']>[1] & { readonly getRecord: () => Promise<TurnRecord> },
): AsyncGenerator<NumberedEvent, void> {
  const seen: TurnEvent[] = [];
  let last = options.after;
  const isLate = options.after >= 0; // events before `after` are not known here
  const told = engine.watch(turn.id, options);
  let hasGap = false;
  const onGap = () => {
    hasGap = true;
  };
  const restOf = ({ items }: TurnRecord): TurnEvent[] => {
    const made = items.filter((item) => item.attempt !== null);
    return isLate ? wholeItems(seen, made) : missingEvents(seen, made);
  };
  for await (const numbered of isLate ? told : fillGaps(told, onGap)) {
    if (isLate && isGap(last, numbered.sequence)) onGap();
    if (numbered.event.type === 'turn-ended' && hasGap) {
      const lost = restOf(await options.getRecord());
      // Under numbers that were lost, as far as there are some behind the last event.
      for (const event of lost) yield { sequence: Math.min(++last, numbered.sequence - 1), event, loss: 'made' };
    }
    seen.push(numbered.event);
    last = numbered.sequence;
    yield numbered;
    if (numbered.event.type === 'turn-ended') return;
  }
  if (options.signal.aborted) return;
  if (isLate && seen.length === 0 && (await engine.isLastEvent(turn.id, options.after))) return;

  const record = await options.getRecord();
  const { attempt, endedAt } = record.turn;
  const isGone = last < 0 && endedAt !== null && endedAt.getTime() < Date.now() - LATE_LOG_MS;
  const first = isGone ? 0 : Math.max(last + 1, firstSequence(attempt + 1));
  for (const [index, event] of [...restOf(record), endOf(record)].entries())
    yield { sequence: first + index, event, loss: 'made' };
}

/** For a reader that may have seen any part of the items: each item once more, whole. */
function wholeItems(seen: readonly TurnEvent[], made: readonly Item[]): TurnEvent[] {
  const done = new Set(seen.flatMap((event) => (event.type === 'item-done' ? event.item.id : [])));
  return made
    .filter((item) => !done.has(item.id))
    .map((item) => ({ type: 'item-done', item: contentOf(item), written: true }));
}

function endOf({ turn, gate }: TurnRecord): TurnEvent {
  const { status, failure, usage, steeredBy, endedAt } = turn;
  if (status === 'queued' || status === 'running' || !endedAt) throw new Error(`Turn ${turn.id} is still ${status}.`);
  const by = steeredBy && { steeredBy };
  return { type: 'turn-ended', status, failure, gate, ...by, usage, endedAt: endedAt.toISOString() };
}
