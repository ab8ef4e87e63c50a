import type {
  DelegationLimits,
  DelegationOutcome,
  DelegationState,
  StartOutcome,
} from '#domain/delegation/delegation.ts';
import type { ItemId, ReplicaId, ThreadId, TurnId } from '#domain/ids.ts';
import type { ItemBody, NewItem } from '#domain/thread/item.ts';
import { bodyOf, itemFields } from '#domain/thread/item-fields.ts';
import type { Failure, Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { toDocument } from './entries.ts';

/** A child that a call asks for. */
export type NewChild = {
  readonly call: ItemId;
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly request: TurnRequest;
  readonly items: readonly NewItem[];
  /** The start of its task. */
  readonly opening: string;
  /** The budget that the call asks for. */
  readonly tokens: number | null;
};

/** What the budget of the run leaves, without what its children hold; null without a limit. */
export type LeftOfRun = { readonly tokens: number | null; readonly usd: number | null };

type Attempt = Pick<Turn, 'id' | 'attempt'>;

/** Starts a child of a running turn, as far as the limits allow: see `start_delegations`. */
export async function startChild(
  pool: EnginePool,
  self: ReplicaId,
  { id, attempt }: Attempt,
  child: NewChild,
  { limits, left }: { readonly limits: DelegationLimits; readonly left: LeftOfRun },
): Promise<StartOutcome> {
  const entry = {
    call: child.call,
    thread: child.threadId,
    turn: child.turnId,
    request: JSON.stringify(child.request),
    opening: child.opening,
    bytes: child.items.reduce((sum, item) => sum + Buffer.byteLength(bodyOf(item)), 0),
    tokens: child.tokens,
    items: itemFields(child.items, 0).items,
  };
  const bounds = {
    depth: limits.depth,
    active: limits.active,
    run: limits.perRun,
    tree: limits.perTree,
    tokens: limits.tokensPerChild,
    tokens_left: left.tokens,
    usd_left: left.usd,
  };
  const { rows } = await pool.query<{ outcome: StartOutcome }>(
    'select outcome from start_delegations($1, $2, $3, $4, $5)',
    [self, id, attempt, JSON.stringify(bounds), toDocument([entry])],
  );
  return rows[0]?.outcome ?? 'lost';
}

/** A child whose report was not delivered, and the last thing that was written in its run. */
export type UndeliveredChild = {
  readonly call: ItemId;
  readonly state: DelegationState;
  readonly outcome: DelegationOutcome | null;
  readonly tokensUsed: number;
  readonly usdUsed: number;
  readonly failure: Failure | null;
  readonly last: ItemBody | null;
};

/** The children of a run whose reports were not delivered, in the order of their start. */
export async function listUndelivered(pool: EnginePool, turn: Pick<Turn, 'id' | 'run'>): Promise<UndeliveredChild[]> {
  const { rows } = await pool.query<UndeliveredChild>(UNDELIVERED, [turn.run ?? turn.id]);
  return rows;
}

const UNDELIVERED = `
  select call, state, outcome, tokens_used::float8 as "tokensUsed", usd_used as "usdUsed", newest.failure, newest.last
  from delegations left join lateral (
    select turns.failure, (
      select body from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq
      order by position desc limit 1) as last
    from turns where turns.id = child_run or turns.run = child_run order by turns.seq desc limit 1
  ) as newest on state = 'ended'
  where delegations.run = $1 and delivered_at is null order by started_at, call`;

/** `ready`: there is nothing to wait for any more. */
type ParkOutcome = 'parked' | 'ready' | 'lost';

/** Puts a running turn down until its children have ended: see `park_turn`. */
export async function parkTurn(pool: EnginePool, self: ReplicaId, { id, attempt }: Attempt): Promise<ParkOutcome> {
  const { rows } = await pool.query<{ outcome: ParkOutcome }>('select park_turn($1, $2, $3) as outcome', [
    self,
    id,
    attempt,
  ]);
  return rows[0]?.outcome ?? 'lost';
}
