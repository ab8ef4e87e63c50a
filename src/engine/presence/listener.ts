import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { ReplicaId, ThreadId, TurnId } from '#domain/ids.ts';
import type { ReplicaFacts } from '#domain/joining-replica.ts';
import type { UserId } from '#domain/principal.ts';
import { connectEngineClient } from '../engine-connection.ts';

const CHANNEL = 'reborn';
/** The first key of every presence lock; the second is the replica's number. */
export const PRESENCE = 8247;

/** Signals between replicas. They only save time: a replica that misses one finds the change by polling. */
export type Signal =
  | { readonly wake: true }
  | { readonly cancel: TurnId }
  | { readonly events: ReplicaId }
  /** This replica has followers of threads or turns from now on. */
  | { readonly follows: ReplicaId }
  | { readonly threads: readonly (readonly [ThreadId, UserId])[]; readonly from: ReplicaId };

export type Listener = {
  /** Registers this replica again, after peers have declared it dead. */
  announce(): Promise<void>;
  close(): Promise<void>;
};

type Joining = {
  readonly replica: ReplicaId;
  /** The `application_name` of all connections of this process. */
  readonly application: string;
  readonly facts: ReplicaFacts;
  /** Called once, with the live peers, before this replica becomes one of them; it may throw. */
  readonly admit: (living: readonly ReplicaFacts[]) => void;
};

/**
 * One connection per process that receives signals and holds this replica's presence lock. It reconnects after a
 * failure, and `onConnect` then checks for missed changes.
 */
export async function startListener(
  options: Joining & {
    connection: pg.PoolConfig;
    onSignal: (signal: Signal) => void;
    onConnect: () => void;
    onError: (error: unknown) => void;
  },
): Promise<Listener> {
  const { connection, onSignal, onConnect, onError } = options;
  const closed = new AbortController();
  let isAdmitted = false;

  async function open(): Promise<Session> {
    const client = await connectEngineClient(connection, onError);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('notification', ({ payload = '' }) => {
      const signal = parseSignal(payload);
      if (signal) onSignal(signal);
    });
    try {
      await announce(client, options, isAdmitted);
      isAdmitted = true;
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    onConnect();
    return { client, ended };
  }

  async function reopen(): Promise<Session | undefined> {
    for (let tries = 0; ; tries++) {
      await sleep(tries === 0 ? 0 : AGAIN_MS, undefined, { signal: closed.signal }).catch(() => {});
      if (closed.signal.aborted) return undefined;
      try {
        return await open();
      } catch (error) {
        onError(error);
      }
    }
  }

  let session: Session | undefined = await open();
  const listening = (async () => {
    while (session) {
      await session.ended;
      session = await reopen();
    }
  })();

  return {
    announce: async () => {
      if (session) await announce(session.client, options, true);
    },
    close: async () => {
      closed.abort();
      await session?.client.end();
      await listening;
    },
  };
}

type Session = { readonly client: pg.Client; readonly ended: Promise<void> };

const AGAIN_MS = 250;

/** Every client of this database may write to the channel, so anything that is not a valid signal is ignored. */
function parseSignal(payload: string): Signal | undefined {
  try {
    const signal: unknown = JSON.parse(payload);
    return typeof signal === 'object' && signal !== null ? (signal as Signal) : undefined;
  } catch {
    return undefined;
  }
}

/** The row becomes visible only after the lock is held, so that a live replica never looks dead. */
async function announce(client: pg.Client, options: Joining, isAdmitted: boolean): Promise<void> {
  const { replica, application, facts } = options;
  await client.query('begin');
  try {
    if (!isAdmitted) options.admit(await findLivingPeers(client, replica));
    const { rows } = await client.query<{ lockKey: string }>(
      `insert into replicas (id, application, model, is_command, seen_at) values ($1, $2, $3, $4, now())
       on conflict (id) do update set lock_key = default, seen_at = now()
       returning lock_key as "lockKey"`,
      [replica, application, facts.model, facts.isCommand],
    );
    await client.query('select pg_advisory_lock($1, $2::bigint::integer)', [PRESENCE, rows[0]?.lockKey]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/** Replicas join one at a time, so that of two that start together the second sees the first. */
async function findLivingPeers(client: pg.Client, self: ReplicaId): Promise<ReplicaFacts[]> {
  await client.query(`set local lock_timeout = '30s'`); // many may start together
  await client.query('select pg_advisory_xact_lock($1, 0)', [PRESENCE]); // replica numbers start at 1, so 0 is free
  const { rows } = await client.query<ReplicaFacts>(
    `select model, is_command as "isCommand" from replicas
     where id <> $1 and not pg_try_advisory_xact_lock($2, lock_key::integer)`,
    [self, PRESENCE],
  );
  return rows;
}

export async function sendSignal(database: Pick<pg.Pool, 'query'>, signal: Signal): Promise<void> {
  await database.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(signal)]);
}
