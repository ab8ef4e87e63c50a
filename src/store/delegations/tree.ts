import { type RawBuilder, sql } from 'kysely';
import type { DelegationOutcome, DelegationState } from '#domain/delegation/delegation.ts';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** A child below a thread. What it has used is complete when it has ended; until then it does not include its own children. */
export type TreeNode = {
  /** The call that it belongs to. */
  readonly call: ItemId;
  /** The thread of that call. */
  readonly parentId: ThreadId;
  readonly threadId: ThreadId;
  readonly depth: number;
  readonly task: string;
  readonly state: DelegationState;
  readonly outcome: DelegationOutcome | null;
  readonly tokensLimit: number;
  readonly tokens: number;
  readonly usd: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
};

/** All children below a thread, each after the one above it, in the order of their start. */
export function listTree(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<TreeNode[]> {
  return runStatement<TreeNode>(trx, TREE, [threadId, owner.userId]);
}

const TREE = `
  with recursive below as (
    select * from delegations where thread_id = $1 and user_id = $2
    union all
    select delegations.* from delegations join below on delegations.thread_id = below.child_thread_id
      and delegations.user_id = below.user_id
  )
  select call, below.thread_id as "parentId", child_thread_id as "threadId", threads.depth, threads.opening as task, state, outcome,
    tokens_limit::float8 as "tokensLimit",
    case when state = 'ended' then tokens_used::float8 else spent.tokens end as tokens,
    case when state = 'ended' then usd_used else spent.usd end as usd,
    started_at as "startedAt", ended_at as "endedAt"
  from below join threads on threads.id = child_thread_id, lateral (
    select coalesce(sum((usage ->> 'inputTokens')::float8 + (usage ->> 'outputTokens')::float8), 0) as tokens,
      coalesce(sum((usage -> 'cost' ->> 'inputUsd')::float8 + (usage -> 'cost' ->> 'outputUsd')::float8), 0) as usd
    from items where items.thread_id = child_thread_id and below.state <> 'ended'
  ) as spent
  order by depth, started_at, call`;

/** The arguments of the calls of a tool that the children of a tree have started, besides those of one run. */
export async function listArgumentsInTree(
  trx: OwnedTransaction,
  owner: Owner,
  { tree, besides, tool }: { readonly tree: TurnId; readonly besides: TurnId; readonly tool: string },
): Promise<string[]> {
  const rows = await runStatement<{ body: { readonly arguments: string } }>(trx, ARGUMENTS, [
    tree,
    owner.userId,
    besides,
    `%"name":"${tool}"%`,
  ]);
  return rows.map(({ body }) => body.arguments);
}

// As a text, because PostgreSQL can't look inside JSON that has null characters.
const ARGUMENTS = `
  select items.body from delegations
  join turns on turns.thread_id = child_thread_id and coalesce(turns.run, turns.id) = child_run
  join items on items.thread_id = turns.thread_id and items.turn_seq = turns.seq
  where delegations.tree = $1 and delegations.user_id = $2 and child_run <> $3
    and items.started_at is not null and items.body::text like $4`;

/** Whether a child below this thread waits for a person at a gate. */
export const hasGateBelow = (threadId: RawBuilder<unknown>): RawBuilder<boolean> => sql`exists (
  with recursive below as (
    select child_thread_id, user_id from delegations where thread_id = ${threadId} and state <> 'ended'
    union all
    select each.child_thread_id, each.user_id from delegations as each join below on each.thread_id = below.child_thread_id
      and each.user_id = below.user_id and each.state <> 'ended'
  )
  select from below join gates on gates.thread_id = below.child_thread_id and gates.user_id = below.user_id
    and answered_at is null)`;

/** The titles of the threads above these, the highest first, and its own: of those that belong to children. */
export async function findPaths(
  trx: OwnedTransaction,
  owner: Owner,
  threadIds: readonly ThreadId[],
): Promise<Map<ThreadId, readonly string[]>> {
  const { rows } = await sql<{ id: ThreadId; path: string[] }>`
    with recursive up as (
      select id, id as at, parent, 0 as above, coalesce(title, generated_title, opening) as name from threads
      where id = any(${threadIds}::uuid[]) and parent is not null and user_id = ${owner.userId}
      union all
      select up.id, threads.id, threads.parent, up.above + 1, coalesce(threads.title, threads.generated_title, threads.opening)
      from up join threads on threads.id = up.parent and threads.user_id = ${owner.userId}
    )
    select id, array_agg(name order by above desc) as path from up group by id`.execute(trx);
  return new Map(rows.map(({ id, path }) => [id, path]));
}
