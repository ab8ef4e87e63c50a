import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { CancelReason } from '#domain/thread/turn.ts';
import { EXTRACTOR } from '#domain/workspace/document.ts';
import type { EnginePool } from '../engine-connection.ts';
import { ENGINE_TIMES, type EngineTimes } from '../engine-times.ts';
import { repeat } from '../repeat.ts';
import { STEERING, type Steering } from '../statements/steering.ts';
import { PRESENCE, type Session, sendSignal } from './listener.ts';

/** A turn that runs here according to the table. */
export type RunningRow = {
  readonly id: TurnId;
  readonly attempt: number;
  readonly cancelReason: CancelReason | null;
  readonly steering: Steering;
};

/** If the time between two own heartbeats differs by more than this from the table's, the database's clock was set. */
const JUMP_MS = 5000;
/** A lease that ends later than this was renewed before the clock was set back. */
const AHEAD = '5 seconds';

/** How many replicas judge the others: the oldest ones, so that the number of checks grows with the replicas, not with their square. */
const JUDGES = 2;

/** What is due in the whole installation. Most of the time, nothing is. */
export type Due = {
  /** A mission is due, a run of a mission waits to start, or a started one may have ended. */
  readonly missions: boolean;
  /** The outbox has new rows, or a delivery is due. */
  readonly deliveries: boolean;
  /** A thread waits for a title. */
  readonly titles: boolean;
  /** A document waits for its text to be read. */
  readonly documents: boolean;
  /** An update of a chat is to be handled, or no replica asks a platform for updates. */
  readonly chats: boolean;
};

type HeartbeatOptions<Remembered> = {
  readonly session: Session;
  readonly pool: EnginePool;
  readonly replica: ReplicaId;
  readonly times: EngineTimes;
  /** Registers this replica again, after peers have declared it dead. */
  readonly announce: () => Promise<void>;
  /** A snapshot taken just before the statement is sent. */
  readonly before: () => Remembered;
  readonly onRunning: (rows: readonly RunningRow[], remembered: Remembered) => void;
  readonly onReady: () => void;
  readonly onDue: (due: Due) => void;
  /** Called with the number of turns that were taken from dead peers. */
  readonly onTakenOver: (turns: number) => void;
  readonly onError: (error: unknown) => void;
};

/**
 * One statement, sent more than twice a second, does all the regular work of a replica:
 *
 * 1. It renews the lease, says whether turns wait, and reads the state of the turns that run here.
 * 2. On the two oldest replicas it also finds silent peers and work that is due: either of them is enough, and the second one
 *    covers for the first.
 * 3. A peer that looks dead in two heartbeats in a row is declared dead, and its turns are taken over; but only by a replica
 *    whose own heartbeat has been steady, because after a gap of the database all peers look dead.
 */
export function startHeartbeat<Remembered>(options: HeartbeatOptions<Remembered>) {
  const { pool, replica, times } = options;
  const text = heartbeatStatement(times);
  let steadySince: number | undefined;
  let last = performance.now(); // the replica has just registered
  let known: HeartbeatRow | undefined;
  let suspects = new Set<ReplicaId>();

  async function heartbeat(): Promise<void> {
    const begun = performance.now();
    if (begun - last > times.gap) steadySince = undefined;
    const remembered = options.before();
    const row = await beat().catch((error: unknown) => {
      steadySince = undefined;
      throw error;
    });
    if (!row.alive) {
      await options.announce();
      return;
    }
    // The peers renew their leases by the new clock before this replica judges them.
    if (Math.abs((row.sinceMs ?? 0) - (begun - last)) > JUMP_MS) steadySince = undefined;
    last = performance.now();
    steadySince ??= last;
    known = row;
    options.onRunning(row.running ?? [], remembered);
    if (row.ready) options.onReady();
    if (row.due) options.onDue(row.due);
    await takeOver(row.quiet ?? []);
  }

  async function beat(): Promise<HeartbeatRow> {
    const statement = { name: 'heartbeat', text, values: [replica], query_timeout: times.answer };
    const { rows } = await options.session.query<HeartbeatRow>(statement);
    if (!rows[0]) throw new Error('The heartbeat was not answered.');
    return rows[0];
  }

  const mayJudge = () => steadySince !== undefined && performance.now() - steadySince >= times.steady;

  /** A peer must look dead in two checks in a row. */
  async function takeOver(quiet: readonly QuietPeer[]): Promise<void> {
    const free = quiet.filter((peer) => peer.free);
    const crashed = free.filter(({ id, silent }) => silent && suspects.has(id)).map(({ id }) => id);
    suspects = new Set(free.map(({ id }) => id));
    const expired = quiet.filter((peer) => peer.expired);
    if (!mayJudge() || (crashed.length === 0 && expired.length === 0)) return;

    await endSessions(pool, [...crashed, ...expired.map(({ id }) => id)]);
    options.onTakenOver(await takeOverTurns(pool, replica, crashed, inSql(times.lease)));
  }

  const pauseMs = () =>
    suspects.size > 0 ? times.lookAgain : known?.hasPeers ? times.heartbeat : times.heartbeatAlone;
  const beating = repeat(pauseMs, heartbeat, options.onError);
  return {
    /** Whether another replica has followers of threads or turns. */
    isFollowedElsewhere: () => known?.followedElsewhere ?? false,
    /** Whether this replica does the work that one replica does for all: it is the oldest one that is not silent. */
    isLeader: () => steadySince !== undefined && known?.older === 0,
    /** Whether the database has answered recently. */
    isSteady: () => performance.now() - last < times.gap,
    mayJudge,
    stop: () => beating.stop(),
  };
}

/** A peer that may be dead. Only the oldest replicas read them. */
type QuietPeer = {
  readonly id: ReplicaId;
  readonly silent: boolean;
  readonly expired: boolean;
  readonly free: boolean;
};

type HeartbeatRow = {
  readonly alive: boolean;
  /** The age of the own lease before this heartbeat, by the clock of the database. */
  readonly sinceMs: number | null;
  readonly ready: boolean;
  readonly running: readonly RunningRow[] | null;
  readonly hasPeers: boolean;
  readonly followedElsewhere: boolean;
  /** How many older replicas are not silent. */
  readonly older: number;
  readonly quiet: readonly QuietPeer[] | null;
  readonly due: Due | null;
};

const heartbeatStatement = ({ silent, lease, quiet }: EngineTimes) => `
  with before as (
    select extract(epoch from now() - seen_at)::float8 * 1000 as since from replicas where id = $1
  ), self as (
    update replicas set seen_at = now() where id = $1 returning lock_key
  ), peers as materialized (
    select id, lock_key, followed, seen_at,
      seen_at < now() - interval '${inSql(silent)}' or seen_at > now() + interval '${AHEAD}' as silent
    from replicas where id <> $1
  ), seen as materialized (
    select count(*) > 0 as any_peer, coalesce(bool_or(followed), false) as followed,
      count(*) filter (where not silent and lock_key < (select lock_key from self))::integer as older
    from peers
  )
  select exists (select from self) as alive, (select since from before) as "sinceMs",
    exists (select from turns where ready_at <= now()) as ready,
    (select json_agg(json_build_object('id', id, 'attempt', attempt, 'cancelReason', cancel_reason,
      'steering', ${STEERING}))
      from turns where runner = $1 and status = 'running') as running,
    seen.any_peer as "hasPeers", seen.followed as "followedElsewhere", seen.older,
    case when seen.older < ${JUDGES} then (select json_agg(peer) from (
      select id, silent, seen_at < now() - interval '${inSql(lease)}' as expired,
        pg_try_advisory_xact_lock_shared(${PRESENCE}, lock_key::integer) as free
      from peers where silent or seen_at < now() - interval '${inSql(quiet)}'
    ) as peer) end as quiet,
    case when seen.older < ${JUDGES} then json_build_object(
      'missions', exists (select from missions where next_due_at <= now())
        or exists (select from occurrences where state = 'due' and due_at <= now())
        or exists (select from occurrences where state = 'started'),
      'deliveries', exists (select from outbox) or exists (select from delivery_targets where due_at <= now()),
      'titles', exists (select from title_requests where due_at <= now()),
      'documents', exists (select from documents where extractor < ${EXTRACTOR} and due_at <= now()),
      'chats', exists (select from chat_inbox where state = 'new' and due_at <= now())
        or exists (select from chat_accounts where mode = 'polling' and (leased_until is null or leased_until < now()
          or not exists (select from replicas where replicas.id = poller)))
    ) end as due
  from seen`;

const inSql = (milliseconds: number) => `${milliseconds} milliseconds`;

/** A session of a dead replica that is stuck sending an answer keeps its locks, which would block the takeover. */
async function endSessions(pool: EnginePool, replicas: readonly ReplicaId[]): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = any(select application from replicas where id = any($1::uuid[])) and pid <> pg_backend_pid()`,
    [replicas],
  );
}

const NEVER = '100 years';

/** Moves turns whose replica no longer exists, for any reason, and with `mayJudge` turns of replicas whose lease has expired. */
export async function moveStrandedTurns(
  pool: EnginePool,
  self: ReplicaId,
  mayJudge = true,
  { lease } = ENGINE_TIMES,
): Promise<number> {
  return takeOverTurns(pool, self, [], mayJudge ? inSql(lease) : NEVER);
}

/** Returns how many turns were moved: turns of `dead` replicas, and of all whose lease is older than this. */
async function takeOverTurns(
  pool: EnginePool,
  self: ReplicaId,
  dead: readonly ReplicaId[],
  lease: string,
): Promise<number> {
  const text = 'select moved from take_over_turns($1, $2, $3::interval)';
  const { rows } = await pool.query<{ moved: number }>(text, [self, dead, lease]);
  return rows[0]?.moved ?? 0;
}

/**
 * Leaves in order: unfinished turns go back at once and wake the other replicas, and the interruption doesn't count against
 * them. The row is deleted first: a statement in progress has either finished by then, or finds no row and writes nothing.
 */
export async function handBack(pool: EnginePool, self: ReplicaId): Promise<void> {
  await pool.query('delete from replicas where id = $1', [self]);
  await pool.query(
    `update turns set runner = null, ready_at = least(created_at, now()), handback = attempt + 1 where status = 'running' and runner = $1`,
    [self],
  );
  await sendSignal(pool, { wake: true });
}
