import type { MissionId, ThreadId, TurnId } from '#domain/ids.ts';
import type { MissionSettings, OccurrenceState } from '#domain/mission/mission.ts';
import type { UserId } from '#domain/principal.ts';
import type { ItemBody } from '#domain/thread/item.ts';
import type { EndedStatus, TurnStatus } from '#domain/thread/turn.ts';
import type { Usage } from '#domain/usage.ts';
import type { SystemConnection } from './system-connection.ts';

/** An occurrence that may start now. Its mission is leased to the caller for a few seconds. */
export type StartableRun = Omit<MissionSettings, 'schedule' | 'misfire' | 'overlap' | 'pauseAfter'> & {
  readonly missionId: MissionId;
  readonly userId: UserId;
  readonly threadId: ThreadId | null;
  readonly slot: Date;
  /** The turn whose end started it. */
  readonly causeTurnId: TurnId | null;
  /** What the mission has used today, in UTC. */
  readonly tokensToday: number;
  readonly usdToday: number;
  /** The run that must be cancelled first. */
  readonly runningTurnId: TurnId | null;
  readonly runningThreadId: ThreadId | null;
};

/** Ends due occurrences that must not start: the mission was paused, or an earlier run has not ended and its policy says skip. */
export async function skipOccurrences(system: SystemConnection): Promise<void> {
  await system.query(SKIP);
}

// Late occurrences wait for each other: they were asked for. A queue holds at most one that is on time.
const SKIP = `
  update occurrences set state = 'skipped', ended_at = now(), reason = case
    when missions.pause_reason = 'user_removed' then 'user_removed' when missions.state = 'paused' then 'paused' else 'overlap' end
  from missions
  where occurrences.state = 'due' and due_at <= now() and missions.id = occurrences.mission_id
    and (missions.state = 'paused' and occurrences.kind = 'scheduled' or missions.pause_reason = 'user_removed'
      or not is_late and missions.overlap <> 'cancel'
        and exists (select from occurrences as other where other.mission_id = missions.id and other.user_id = missions.user_id
          and other.state = 'started')
        and (missions.overlap = 'skip' or exists (select from occurrences as ahead
          where ahead.mission_id = missions.id and ahead.state = 'due' and ahead.slot < occurrences.slot)))`;

/**
 * Leases up to `limit` missions with an occurrence to start, and at most `perUser` runs of each user at a time. A mission has one
 * lease, so that two of its occurrences never start at once.
 */
export async function takeStartableRuns(
  system: SystemConnection,
  { limit, perUser, leaseSeconds }: { limit: number; perUser: number; leaseSeconds: number },
): Promise<StartableRun[]> {
  const { rows } = await system.query<StartableRun>(TAKE, [limit, perUser, leaseSeconds]);
  return rows;
}

function lastText(role: 'user' | 'assistant'): string {
  return `(select text from items join item_texts on item_texts.item_id = items.id
    where items.thread_id = turns.thread_id and items.turn_seq = turns.seq and role = '${role}' order by items.position desc limit 1)`;
}

const sumToday = (column: string, budget: string) => `
    (select coalesce(sum(${column}), 0) from occurrences where ${budget} is not null and occurrences.mission_id = missions.id
      and occurrences.slot > now() - interval '2 days' and occurrences.started_at >= date_trunc('day', now(), 'UTC'))`;

const TAKE = `
  with owners as (
    select distinct user_id from occurrences where state = 'due' and due_at <= now()
      and user_id not in (select subject from user_moves where user_moves.state <> 'arrived')
  ), waiting as (
    select owners.user_id, due.*, (select count(*) from occurrences as other
      where other.user_id = owners.user_id and other.state = 'started') as running
    from owners cross join lateral (
      select distinct on (mission_id) mission_id, slot, due_at, is_late, turn_id, thread_id from (
        select o.mission_id, o.slot, o.due_at, o.is_late, active.turn_id, active.thread_id
        from occurrences as o join missions on missions.id = o.mission_id
        left join lateral (select other.turn_id, other.thread_id from occurrences as other
          where other.user_id = o.user_id and other.mission_id = o.mission_id and other.state = 'started' limit 1) as active on true
        where o.user_id = owners.user_id and o.state = 'due' and o.due_at <= now()
          and (missions.starting_until is null or missions.starting_until < now())
          and (active.turn_id is null or missions.overlap = 'cancel')
      ) as free order by mission_id, slot
    ) as due
  ), ranked as (
    select waiting.*, row_number() over (partition by user_id order by is_late, due_at) + running as place from waiting
  ), held as (
    select missions.id, ranked.slot, ranked.turn_id, ranked.thread_id as running_thread
    from ranked join missions on missions.id = ranked.mission_id
    where (ranked.place <= $2 or ranked.turn_id is not null)
      and (missions.starting_until is null or missions.starting_until < now())
    order by ranked.is_late, ranked.due_at limit $1 for no key update of missions skip locked
  )
  update missions set starting_until = now() + make_interval(secs => case when held.turn_id is null then $3 else 2 end)
  from held where missions.id = held.id
  returning missions.id as "missionId", missions.user_id as "userId", held.slot, name, instruction, assistant, keeps_thread as "keepsThread",
    missions.thread_id as "threadId", tools, tokens_per_run as "tokensPerRun", tokens_per_day as "tokensPerDay",
    (select cause_turn_id from occurrences where mission_id = missions.id and occurrences.slot = held.slot) as "causeTurnId",
    usd_per_run as "usdPerRun", usd_per_day as "usdPerDay", held.turn_id as "runningTurnId", held.running_thread as "runningThreadId",
    ${sumToday('tokens::float8', 'tokens_per_day')} as "tokensToday", ${sumToday('cost_usd', 'usd_per_day')} as "usdToday"`;

/** What a turn was asked and said. Its texts are null when it has none. */
export type Cause = { readonly status: TurnStatus; readonly asked: string | null; readonly said: string | null };

export async function findCause(system: SystemConnection, turnId: TurnId): Promise<Cause | undefined> {
  const { rows } = await system.query<Cause>(FIND_CAUSE, [turnId]);
  return rows[0];
}

const FIND_CAUSE = `
  select turns.status, ${lastText('user')} as asked, ${lastText('assistant')} as said from turns where turns.id = $1`;

/** How many runs have a turn that runs or is about to. A turn that waits at a gate does not count. */
export async function countActiveRuns(system: SystemConnection): Promise<number> {
  const { rows } = await system.query<{ count: number }>(COUNT_ACTIVE);
  return rows[0]?.count ?? 0;
}

const COUNT_ACTIVE = `
  select (select count(*) from missions where starting_until > now())::integer + (select count(*) from occurrences
    join turns on turns.id = occurrences.turn_id
    where occurrences.state = 'started' and turns.status in ('queued', 'running'))::integer as count`;

/** The turn of the occurrence exists. Ends the lease. */
export async function markStarted(
  system: SystemConnection,
  run: Pick<StartableRun, 'missionId' | 'slot'>,
  turn: { readonly id: TurnId; readonly threadId: ThreadId },
): Promise<void> {
  // 'skipped': its mission was paused after the lease was taken, and the turn exists nevertheless.
  await system.query(
    `with started as (
       update occurrences set state = 'started', reason = null, ended_at = null, turn_id = $3, thread_id = $4, started_at = now()
       where mission_id = $1 and slot = $2 and state in ('due', 'skipped')
     )
     update missions set starting_until = null, thread_id = case when keeps_thread then $4::uuid end where id = $1`,
    [run.missionId, run.slot, turn.id, turn.threadId],
  );
}

/** The thread of a run is called like its mission, unless its owner has named it. Tells whether that was new. */
export async function nameThread(
  system: SystemConnection,
  threadId: ThreadId,
  { name }: Pick<StartableRun, 'name'>,
): Promise<boolean> {
  const { rows } = await system.query(
    'update threads set generated_title = $2 where id = $1 and generated_title is distinct from $2 returning id',
    [threadId, name],
  );
  return rows.length > 0;
}

/** The next run takes the place of this one, which ends as cancelled. */
export async function markReplaced(system: SystemConnection, turnId: TurnId): Promise<void> {
  await system.query(`update occurrences set reason = 'overlap' where turn_id = $1 and state = 'started'`, [turnId]);
}

/** Ends an occurrence without a turn. Ends the lease. */
export async function endUnstarted(
  system: SystemConnection,
  run: Pick<StartableRun, 'missionId' | 'slot'>,
  state: 'skipped' | 'failed' | 'cancelled',
  reason: string,
): Promise<void> {
  await system.query(
    `with ended as (
       update occurrences set state = $3, reason = $4, ended_at = now(), unread = $3 = 'failed'
       where mission_id = $1 and slot = $2 and state = 'due'
       returning mission_id, state
     )
     update missions set starting_until = null, ${COUNT_FAILURES}
     from (select $1::uuid as id, (select state from ended) as state) as run where missions.id = run.id`,
    [run.missionId, run.slot, state, reason],
  );
}

/** Counts a failed run, and pauses the mission after too many in a row. */
const COUNT_FAILURES = `
  failures = case run.state when 'failed' then failures + 1 when 'completed' then 0 else failures end,
  next_due_at = case when run.state = 'failed' and failures + 1 >= pause_after then null else next_due_at end,
  pause_reason = case when run.state = 'failed' and failures + 1 >= pause_after and missions.state = 'active'
    then 'repeated_failure' else pause_reason end,
  state = case when run.state = 'failed' and failures + 1 >= pause_after and missions.state = 'active'
    then 'paused' else missions.state end`;

/** A started occurrence whose run has ended, or continues with another turn. At most one of each mission. */
export type EndedRun = {
  readonly missionId: MissionId;
  readonly slot: Date;
  readonly turnId: TurnId;
  /** The newest turn of the run; null when all were deleted. */
  readonly lastTurnId: TurnId | null;
  readonly failure: { readonly code: string } | null;
  /** Of the turns that have ended. */
  readonly usages: readonly Usage[] | null;
  /** The last item of a completed turn. */
  readonly lastItem: ItemBody | null;
} & ({ readonly isOver: true; readonly status: EndedStatus | null } | { readonly isOver: false });

export async function findEndedRuns(system: SystemConnection, limit: number): Promise<EndedRun[]> {
  const { rows } = await system.query<EndedRun>(FIND_ENDED, [limit]);
  return rows;
}

const FIND_ENDED = `
  select distinct on (o.mission_id) o.mission_id as "missionId", o.slot, o.turn_id as "turnId", last.id as "lastTurnId", last.status,
    ended.is_over as "isOver", last.failure, said.body as "lastItem",
    (select json_agg(turns.usage) from turns where (turns.id = named.run or turns.run = named.run) and turns.usage is not null) as usages
  from occurrences as o left join turns as known on known.id = o.turn_id
  cross join lateral (select coalesce(known.run, o.turn_id) as run) as named
  left join lateral (select * from turns where turns.id = named.run or turns.run = named.run order by seq desc limit 1) as last on true
  left join gates on gates.turn_id = last.id and last.status = 'waiting'
  cross join lateral (select last.id is null or last.ended_at is not null
    and (last.status <> 'waiting' or gates.id is null or gates.answered_at is not null) as is_over) as ended
  left join lateral (select body from items where items.thread_id = last.thread_id and items.turn_seq = last.seq
    and last.status = 'completed' order by position desc limit 1) as said on true
  where o.state = 'started' and (ended.is_over or last.id <> o.turn_id)
  order by o.mission_id, last.ended_at limit $1`;

/** What becomes of an occurrence. It stays started when another turn continues it. */
export type RunEnd = Pick<EndedRun, 'missionId' | 'slot' | 'turnId' | 'lastTurnId'> & {
  readonly state: OccurrenceState;
  readonly reason: string | null;
  readonly tokens: number;
  readonly costUsd: number | null;
};

/** Applies each end once: the occurrence must still be at the turn that was read. At most one of each mission. */
export async function endRuns(system: SystemConnection, ends: readonly RunEnd[]): Promise<void> {
  await system.query(END, [
    ends.map(({ missionId }) => missionId),
    ends.map(({ slot }) => slot),
    ends.map(({ turnId }) => turnId),
    ends.map(({ lastTurnId }) => lastTurnId),
    ends.map(({ state }) => state),
    ends.map(({ reason }) => reason),
    ends.map(({ tokens }) => tokens),
    ends.map(({ costUsd }) => costUsd),
  ]);
}

const END = `
  with held as (
    select o.mission_id, o.slot, given.last, given.tokens, given.cost,
      case when o.reason = 'overlap' and given.state <> 'completed' then 'overlap' else given.reason end as reason,
      case when o.reason = 'overlap' and given.state = 'failed' then 'cancelled' else given.state end as state
    from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::float8[])
      as given (mission_id, slot, turn_id, last, state, reason, tokens, cost)
    join occurrences as o on o.mission_id = given.mission_id and o.slot = given.slot and o.turn_id = given.turn_id and o.state = 'started'
    order by o.mission_id for no key update of o skip locked
  ), ended as (
    update occurrences set state = held.state, reason = held.reason, turn_id = coalesce(held.last, occurrences.turn_id),
      tokens = held.tokens, cost_usd = held.cost,
      ended_at = case when held.state <> 'started' then now() end,
      unread = held.state in ('completed', 'failed') and held.reason is distinct from 'no_result'
    from held where occurrences.mission_id = held.mission_id and occurrences.slot = held.slot
    returning occurrences.mission_id, occurrences.state
  )
  update missions set ${COUNT_FAILURES}
  from ended as run where missions.id = run.mission_id and run.state in ('completed', 'failed')`;
