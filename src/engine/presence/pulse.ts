import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { CancelReason } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import { repeat } from '../repeat.ts';
import { PRESENCE } from './listener.ts';

/** A turn that runs here, as the table says. */
export type RunningRow = {
  readonly id: TurnId;
  readonly attempt: number;
  readonly cancelReason: CancelReason | null;
};

const PULSE_MS = 400;
/** Without a peer there is nobody who could take over. */
const PULSE_ALONE_MS = 1000;
/** How soon a peer that seems to be dead is looked at again. */
const LOOK_AGAIN_MS = 250;
/** A line that hangs is given up before the lease is over. */
const ANSWER_MS = 3000;
/** A peer that is silent for so long, and whose presence lock is free, has died. */
const SILENT = '700 milliseconds';
/** A peer that is silent for so long is given up, even if its connection still holds the lock. */
const LEASE = '15 seconds';
/** Whoever was away judges nobody before its own pulse was steady for so long: the others were away too, most likely. */
const STEADY_MS = 2000;
/** Two pulses further apart than this are not steady. */
const GAP_MS = 3000;

/**
 * One statement, more than twice a second, does everything a replica has to say and to ask: it renews the lease, looks whether turns wait
 * for a replica, what became of those that run here, and which peers are alive. It takes over from peers that are dead.
 */
export function startPulse<Remembered>(options: {
  pool: EnginePool;
  replica: ReplicaId;
  /** Makes this replica known again, after peers have declared it dead. */
  announce: () => Promise<void>;
  /** What must be remembered from the moment before the statement is sent. */
  before: () => Remembered;
  onRunning: (rows: readonly RunningRow[], remembered: Remembered) => void;
  onReady: () => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica } = options;
  let steadySince: number | undefined;
  let last = performance.now(); // the replica has just announced itself
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

  /** Two looks in a row have to find a peer dead. */
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
    if (rows[0] && rows[0].moved > 0) options.onReady();
  }

  const pauseMs = () => (suspects.size > 0 ? LOOK_AGAIN_MS : peers.length > 0 ? PULSE_MS : PULSE_ALONE_MS);
  const pulsing = repeat(pauseMs, pulse, options.onError);
  return {
    peers: () => peers.length,
    /** Whether another replica has somebody who follows threads or turns. */
    isFollowedElsewhere: () => peers.some((peer) => peer.followed),
    /** Whether the work that is done once for all replicas is this one's. */
    isEldest: () => steadySince !== undefined && peers.every((peer) => peer.younger),
    /** Whether the database has answered lately. */
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

// Locks are only tried where a peer is silent, so that many replicas don't try each other's all the time. One of version 0.1 has no
// lease, and is judged by its lock alone.
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

/** A session of the dead that is stuck in sending an answer would keep its locks, and its replica could not be buried. */
async function endSessions(pool: EnginePool, replicas: readonly ReplicaId[]): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = any(select application from replicas where id = any($1::uuid[])) and pid <> pg_backend_pid()`,
    [replicas],
  );
}

/** Moves turns that run on no replica, whatever their replica died of. */
export async function moveStrandedTurns(pool: EnginePool, self: ReplicaId): Promise<number> {
  const { rows } = await pool.query<{ moved: number }>('select moved from bury_replicas($1, $2, $3::interval)', [
    self,
    [],
    LEASE,
  ]);
  return rows[0]?.moved ?? 0;
}

/**
 * Leaves in good order: unfinished turns go back at once, and this interruption doesn't count against them. The row goes first: a
 * call that is under way either has finished by then, or finds no row and writes nothing.
 */
export async function handBack(pool: EnginePool, self: ReplicaId): Promise<void> {
  await pool.query('delete from replicas where id = $1', [self]);
  await pool.query(
    `update turns set runner = null, ready_at = created_at, handback = attempt + 1 where status = 'running' and runner = $1`,
    [self],
  );
}
