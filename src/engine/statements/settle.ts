import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { WrittenItem } from '#domain/thread/item.ts';
import { itemFields } from '#domain/thread/item-fields.ts';
import { CANCELLED_JOB } from '#domain/thread/job.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';
import type { TurnEnding } from '#domain/thread/turn-event.ts';
import type { NewGate } from '#domain/tool/gate.ts';
import type { Usage } from '#domain/usage.ts';
import type { EnginePool } from '../engine-connection.ts';
import { callFields, toDocument } from './entries.ts';

/** How a turn ends, and what is written with it. */
export type TurnEnd = {
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  /** The last items, not written yet. `position` is null when the attempt has not read the turn's items. */
  readonly last: { readonly position: number | null; readonly items: readonly WrittenItem[] };
  /** Model calls that are not counted yet: the call that made the last items, and failed calls. */
  readonly calls: readonly ModelCall[];
  /** Called once the end is written, before the watchers are notified. */
  readonly onWritten?: () => void;
  /** The tree of its children, if this attempt has known any. */
  readonly tree?: TurnId | undefined;
  /** Of a turn that opens a gate: how it ends instead if a message came first that steers it. */
  readonly whenSteered?: () => TurnEnd;
  /** And if it was cancelled first. */
  readonly whenCancelled?: () => TurnEnd;
};

/** A turn that is about to end. `grows`: the bytes that this attempt has added to the thread. */
export type Settling = TurnEnd & { readonly turn: Turn; readonly grows: number };

export type Settled =
  /** `next`: the thread's next turn, already running here. `waits`: it waits for a replica instead. */
  | { readonly outcome: 'ended'; readonly ending: TurnEnding; readonly next?: TurnId; readonly waits: boolean }
  /**
   * `busy`: a row is locked; retry. `lost`: another attempt has taken over. `steered`: a message came before the gate could open.
   * `unsteered`: the message that steered the turn was withdrawn, or it was cancelled first. `cancelled`: before the gate could open.
   */
  | { readonly outcome: 'busy' | 'lost' | 'steered' | 'unsteered' | 'cancelled' };

/**
 * The only way a turn ends. One statement writes its last items, sets its status, opens its gate, completes its job and
 * activates the thread's next queued turn, which starts here at once if there is room.
 */
export async function settleTurns(
  pool: EnginePool,
  self: ReplicaId,
  room: number,
  batch: readonly Settling[],
): Promise<Settled[]> {
  const { rows } = await pool.query<SettledRow>(SETTLE, [
    self,
    room,
    JSON.stringify(CANCELLED_JOB),
    toDocument(batch.map(toEntry)),
  ]);
  return batch.map((settling, index) => toSettled(settling, rows[index]));
}

const SETTLE =
  'select outcome, ended_at as "endedAt", next, next_runs as "nextRuns", steered_by as "steeredBy" from settle_turns($1, $2, $3, $4)';

const toEntry = ({ turn, outcome, usage, last, calls, grows, whenSteered }: Settling): object => ({
  turn: turn.id,
  attempt: turn.attempt,
  status: outcome.status,
  failure: outcome.status === 'failed' ? JSON.stringify(outcome.failure) : null,
  refused: outcome.status === 'failed' && outcome.refused === true,
  usage: JSON.stringify(usage),
  first: last.position,
  grows,
  ...(outcome.status === 'waiting' && gateFields(outcome.gate)),
  ...(whenSteered && { yields: true }),
  ...(outcome.status === 'incomplete' && outcome.steered && { steered: true }),
  ...callFields(calls),
  ...itemFields(last.items, last.position ?? 0),
});

const gateFields = ({ id, kind, call, revision, asked }: NewGate): object => ({
  gate: id,
  gate_kind: kind,
  gate_call: JSON.stringify(call),
  gate_revision: revision,
  gate_facts: asked ? JSON.stringify(asked) : null,
});

type SettledRow = {
  readonly outcome: 'ended' | 'again' | Exclude<Settled['outcome'], 'ended'>;
  readonly endedAt: Date;
  readonly next: TurnId | null;
  readonly nextRuns: boolean | null;
  readonly steeredBy: TurnId | null;
};

function toSettled({ outcome, usage }: Settling, row: SettledRow | undefined): Settled {
  if (row?.outcome !== 'ended' && row?.outcome !== 'again') return { outcome: row?.outcome ?? 'lost' };
  const ending: TurnEnding = {
    status: outcome.status,
    failure: outcome.status === 'failed' ? outcome.failure : null,
    gate: outcome.status === 'waiting' ? outcome.gate : null,
    ...(row.steeredBy && { steeredBy: row.steeredBy }),
    usage,
    endedAt: row.endedAt.toISOString(),
  };
  const { next, nextRuns } = row;
  return { outcome: 'ended', ending, waits: next !== null && !nextRuns, ...(next && nextRuns && { next }) };
}
