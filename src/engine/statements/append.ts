import type { ItemId, ReplicaId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { WrittenItem } from '#domain/thread/item.ts';
import { itemFields } from '#domain/thread/item-fields.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { callFields, toDocument } from './entries.ts';

/** The items a running turn has made, to be written from `position` on, and the model call to be counted. */
export type Appending = {
  readonly turn: Turn;
  readonly position: number;
  readonly items: readonly WrittenItem[];
  readonly call: ModelCall | null;
  /** For a call without items: the same in each send, so that the call is counted once. */
  readonly callId?: string | undefined;
  /** The calls whose children have ended and whose reports are among the items. */
  readonly delivers?: readonly ItemId[] | undefined;
};

/** `busy`: a row is locked; retry. `stale`: the workspace has a newer version. `lost`: another attempt has taken over. */
export type AppendOutcome = 'written' | 'busy' | 'stale' | 'lost';

/**
 * Writes items of several turns in one statement: all items of a turn or none, and only if its attempt still runs here
 * and `position` is the next one in the table. Items and calls sent twice are written and counted once.
 */
export async function appendItems(
  pool: EnginePool,
  self: ReplicaId,
  batch: readonly Appending[],
): Promise<AppendOutcome[]> {
  const entries = batch.map(({ turn, position, items, call, callId, delivers }) => ({
    turn: turn.id,
    attempt: turn.attempt,
    first: position,
    call_id: callId,
    delivers,
    ...callFields(call ? [call] : []),
    ...itemFields(items, position),
  }));
  const { rows } = await pool.query<{ outcome: AppendOutcome }>(APPEND, [self, toDocument(entries)]);
  return rows.map(({ outcome }) => outcome);
}

const APPEND = 'select outcome from append_items($1, $2)';
