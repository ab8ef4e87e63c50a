import type { Item } from '#domain/item.ts';
import type { Turn } from '#domain/turn.ts';
import { firstSequence, missingEvents, type NumberedEvent, type TurnEvent } from '#domain/turn-event.ts';
import type { Engine } from '#engine/engine.ts';
import type { TurnRecord } from './agent.ts';

/**
 * Follows a turn from its first event, or from after `after`, to its end, wherever it runs. Where the log is gone,
 * the rest is made from the stored items, under numbers that no attempt ever used.
 */
export async function* watchTurn(
  engine: Engine,
  turn: Turn,
  options: { after: number; fresh: boolean; signal: AbortSignal; getRecord: () => Promise<TurnRecord> },
): AsyncGenerator<NumberedEvent, void> {
  const seen: TurnEvent[] = [];
  let last = options.after;
  for await (const numbered of engine.watch(turn.id, options)) {
    seen.push(numbered.event);
    last = numbered.sequence;
    yield numbered;
    if (numbered.event.type === 'turn-ended') return;
  }
  if (options.signal.aborted) return;

  const record = await options.getRecord();
  const first = last < 0 ? 0 : Math.max(last + 1, firstSequence(record.turn.attempt + 1));
  for (const [index, event] of restOf(record, seen).entries()) yield { sequence: first + index, event };
}

function restOf({ turn, items, gate }: TurnRecord, seen: readonly TurnEvent[]): TurnEvent[] {
  const { status, failure, usage, endedAt } = turn;
  if (status === 'queued' || status === 'running' || !endedAt) throw new Error(`Turn ${turn.id} is still ${status}.`);
  const made = items.filter((item: Item) => item.attempt !== null);
  return [
    ...missingEvents(seen, made),
    { type: 'turn-ended', status, failure, gate, usage, endedAt: endedAt.toISOString() },
  ];
}
