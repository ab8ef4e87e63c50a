import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { CancelReason } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { repeat } from '../repeat.ts';
import { PRESENCE } from './listener.ts';

/** A turn that runs here according to the table. */
export type RunningRow = {
  readonly id: TurnId;
  readonly attempt: number;
  readonly cancelReason: CancelReason | null;
};

const PULSE_MS = 400;
/** Without peers no other replica could take over, so the pulse may be slower. */
const PULSE_ALONE_MS = 1000;
/** How soon a peer that looks dead is checked again. */
const LOOK_AGAIN_MS = 250;
/** A hanging connection is abandoned well before the lease expires. */
const ANSWER_MS = 3000;
/** A peer that is silent for this long and no longer holds its presence lock has died. */
const SILENT = '700 milliseconds';
/** A peer that is silent for this long is declared dead, even if its connection still holds the lock. */
const LEASE = '15 seconds';
/** After a gap, a replica judges peers only once its own pulse has been steady for this long: they probably had the same gap. */
const STEADY_MS = 2000;
/** Two pulses further apart than this are not steady. */
const GAP_MS = 3000;

/**
 * One statement, sent more than twice a second, does all the regular work of a replica: it renews the lease, checks for waiting turns,
 * reads the state of the turns that run here, and lists the live peers. It takes over from dead peers.
 */
export function startPulse<Remembered>(options: {
  pool: EnginePool;
  replica: ReplicaId;
  /** Registers this replica again, after peers have declared it dead. */
  announce: () => Promise<void>;
  /** A snapshot taken just before the statement is sent. */
  before: () => Remembered;
  onRunning: (rows: readonly RunningRow[], remembered: Remembered) => void;
  onReady: () => void;
  /** Called with the number of turns that were taken from dead peers. */
  onTakenOver: (turns: number) => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica } = options;
  let steadySince: number | undefined;
  let last = performance.now(); // the replica has just registered
  let peers: readonly PeerRow[] = [];
  let suspects = new Set<ReplicaId>();

  async function pulse(): Promise<void> {
    const begun = performance.now();
    if (begun - last > GAP_MS) steadySince = undefined;
    const remembered = options.before();
    const row = await beat().catch((error: unknown) => {
      steadySince = undefined;
      throw error;
    });
    if (!row.alive) {
      await options.announce();
      return;
    }
    last = performance.now();
    steadySince ??= last;
    peers = row.peers ?? [];
    options.onRunning(row.running ?? [], remembered);
    if (row.ready) options.onReady();
    await takeOver();
  }

  async function beat(): Promise<PulseRow> {
    const statement = { name: 'pulse', text: PULSE, values: [replica], query_timeout: ANSWER_MS };
    const { rows } = await pool.query<PulseRow>(statement);
    if (!rows[0]) throw new Error('The pulse was not answered.');
    return rows[0];
  }

  /** A peer must look dead in two checks in a row. */
  async function takeOver(): Promise<void> {
    const free = peers.filter((peer) => peer.free).map(({ id }) => id);
    const crashed = free.filter((id) => suspects.has(id));
    suspects = new Set(free);
    const expired = peers.filter((peer) => peer.expired);
    const isSteady = steadySince !== undefined && performance.now() - steadySince >= STEADY_MS;
    if (!isSteady || (crashed.length === 0 && expired.length === 0)) return;

    await endSessions(pool, [...crashed, ...expired.map(({ id }) => id)]);
    const { rows } = await pool.query<{ moved: number }>('select moved from bury_replicas($1, $2, $3::interval)', [
      replica,
      crashed,
      LEASE,
    ]);
    options.onTakenOver(rows[0]?.moved ?? 0);
  }

  const pauseMs = () => (suspects.size > 0 ? LOOK_AGAIN_MS : peers.length > 0 ? PULSE_MS : PULSE_ALONE_MS);
  const pulsing = repeat(pauseMs, pulse, options.onError);
  return {
    peers: () => peers.length,
    /** Whether another replica has followers of threads or turns. */
    isFollowedElsewhere: () => peers.some((peer) => peer.followed),
    /** Whether this replica does the work that one replica does for all. */
    isEldest: () => steadySince !== undefined && peers.every((peer) => peer.younger),
    /** Whether the database has answered recently. */
    isSteady: () => performance.now() - last < GAP_MS,
    stop: () => pulsing.stop(),
  };
}

type PeerRow = {
  readonly id: ReplicaId;
  readonly followed: boolean;
  readonly younger: boolean;
  readonly expired: boolean;
  readonly free: boolean;
};

type PulseRow = {
  readonly alive: boolean;
  readonly ready: boolean;
  readonly running: readonly RunningRow[] | null;
  readonly peers: readonly PeerRow[] | null;
};

// Locks are tried only for silent peers, so that many replicas don't try each other's all the time. A replica of version 0.1
// has no lease and is judged by its lock alone.
const PULSE = `
  with self as (
    update replicas set seen_at = now() where id = $1 returning started_at, lock_key
  )
  select exists (select from self) as alive,
    exists (select from turns where ready_at <= now()) as ready,
    (select json_agg(json_build_object('id', id, 'attempt', attempt, 'cancelReason', cancel_reason))
      from turns where runner = $1 and status = 'running') as running,
    (select json_agg(peer) from (
      select replicas.id, followed, lock_key > (select lock_key from self) as younger,
        coalesce(seen_at < now() - interval '${LEASE}', false) as expired,
        case when seen_at is null or seen_at < now() - interval '${SILENT}'
          then pg_try_advisory_xact_lock_shared(${PRESENCE}, lock_key::integer) else false end as free
      from replicas where replicas.id <> $1
    ) as peer) as peers`;

/** A session of a dead replica that is stuck sending an answer keeps its locks, which would block the takeover. */
async function endSessions(pool: EnginePool, replicas: readonly ReplicaId[]): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = any(select application from replicas where id = any($1::uuid[])) and pid <> pg_backend_pid()`,
    [replicas],
  );
}

/** Moves turns whose replica no longer exists, for any reason. */
export async function moveStrandedTurns(pool: EnginePool, self: ReplicaId): Promise<number> {
  const { rows } = await pool.query<{ moved: number }>('select moved from bury_replicas($1, $2, $3::interval)', [
    self,
    [],
    LEASE,
  ]);
  return rows[0]?.moved ?? 0;
}

/**
 * Leaves in order: unfinished turns go back at once, and the interruption doesn't count against them. The row is deleted first:
 * a statement in progress has either finished by then, or finds no row and writes nothing.
 */
export async function handBack(pool: EnginePool, self: ReplicaId): Promise<void> {
  await pool.query('delete from replicas where id = $1', [self]);
  await pool.query(
    `update turns set runner = null, ready_at = created_at, handback = attempt + 1 where status = 'running' and runner = $1`,
    [self],
  );
}
