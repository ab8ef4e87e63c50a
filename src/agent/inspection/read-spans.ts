import type { Turn } from '#domain/thread/turn.ts';
import type { TurnSpan } from '#domain/trace/turn-span.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listItemsOfTurn } from '#store/threads/thread-items.ts';
import { findTimedGate, findTurnTimes } from '#store/threads/turn-details.ts';
import { findTurn } from '#store/threads/turns.ts';
import { spansOf } from './turn-spans.ts';

/** A turn as it is now, and what it did when; undefined if its thread was deleted. */
export async function readSpans(
  db: Database,
  engine: Pick<Engine, 'readTrace'>,
  { id, threadId, userId }: Turn,
): Promise<{ turn: Turn; spans: TurnSpan[] } | undefined> {
  const owner = { userId };
  const [rows, attempts] = await Promise.all([
    withOwner(db, owner, async (trx) => {
      const turn = await findTurn(trx, owner, threadId, id);
      if (!turn) return undefined;
      const times = await findTurnTimes(trx, owner, id);
      const items = await listItemsOfTurn(trx, owner, turn);
      return { turn, startedAt: times?.startedAt ?? null, items, gate: await findTimedGate(trx, owner, id) };
    }),
    engine.readTrace(id),
  ]);
  return rows && { turn: rows.turn, spans: spansOf(rows.turn, rows.startedAt, rows.items, attempts, rows.gate) };
}
