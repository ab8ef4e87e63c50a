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
  /** The messages that steer this turn have changed. */
  | { readonly steer: TurnId }
  | { readonly events: ReplicaId }
  /** This replica has followers of threads or turns from now on. */
  | { readonly follows: ReplicaId }
  /** A user was removed or has another role; a trigger on the table of users sends it. */
  | { readonly removed: true }
  | { readonly threads: readonly (readonly [ThreadId, UserId])[]; readonly from: ReplicaId };

export type Listener = Session & {
  /** Registers this replica again, after peers have declared it dead. */
  announce(): Promise<void>;
  close(): Promise<void>;
};

/** Statements on the connection that holds the presence lock. They wait for nothing but a new connection after a loss. */
export type Session = { query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> };

export type Joining = {
  readonly replica: ReplicaId;
  /** The `application_name` of all connections of this process. */
  readonly application: string;
  readonly facts: ReplicaFacts;
  /** Called once, with the live peers, before this replica joins; it may throw. */
  readonly admit: (living: readonly ReplicaFacts[]) => void;
};

type ListenerOptions = Joining & {
  readonly connection: pg.PoolConfig;
  readonly onSignal: (signal: Signal) => void;
  readonly onConnect: () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * One connection per process that receives signals, renews the lease and holds this replica's presence lock. It reconnects
 * after a failure, and `onConnect` then checks for missed changes. An idle replica needs no other connection, and a busy one
 * has no statement that could delay the lease.
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { connection, onSignal, onConnect, onError } = options;
  const closed = new AbortController();
  let isAdmitted = false;

  async function open(): Promise<Opened> {
    const client = await connectEngineClient(connection, onError);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('notification', ({ payload = '' }) => {
      const signal = parseSignal(payload);
      if (signal) onSignal(signal);
    });
    try {
      if (isAdmitted) await register(client, options);
      else await join(client, options);
      isAdmitted = true;
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      client.connection.stream.destroy(); // `end` would wait for a server that does not answer
      throw error;
    }
    onConnect();
    return { client, ended };
  }

  async function reopen(): Promise<Opened | undefined> {
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

  let session: Opened | undefined = await open();
  let reopened = Promise.withResolvers<void>();
  const listening = (async () => {
    while (session) {
      await session.ended;
      session = undefined;
      session = await reopen();
      reopened.resolve();
      reopened = Promise.withResolvers();
    }
  })();

  async function current(): Promise<pg.Client> {
    if (!session) await Promise.race([reopened.promise, sleep(WAIT_MS, undefined, { ref: false })]);
    if (!session) throw new Error('Connection terminated: the listening connection is not open again yet.');
    return session.client;
  }

  async function query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const client = await current();
    return client.query<Row>(statement).catch((error: unknown) => {
      // The statement is still running. A connection that does not answer receives no signals either.
      if (error instanceof Error && error.message === 'Query read timeout') client.connection.stream.destroy();
      throw error;
    });
  }

  return {
    query,
    announce: async () => register(await current(), options),
    close: async () => {
      closed.abort();
      await session?.client.end();
      await listening;
    },
  };
}

type Opened = { readonly client: pg.Client; readonly ended: Promise<void> };

const AGAIN_MS = 250;
/** How long a statement waits for a new connection. */
const WAIT_MS = 3000;

/** Every client of this database may write to the channel, so anything that is not a valid signal is ignored. */
function parseSignal(payload: string): Signal | undefined {
  try {
    const signal: unknown = JSON.parse(payload);
    return typeof signal === 'object' && signal !== null ? (signal as Signal) : undefined;
  } catch {
    return undefined;
  }
}

/** Registers this replica for the first time, if the living peers allow it. */
async function join(client: pg.Client, options: Joining): Promise<void> {
  await client.query('begin');
  try {
    options.admit(await findLivingPeers(client, options.replica));
    await register(client, options);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/**
 * The row becomes visible only after the lock is held, so that a live replica never looks dead. One statement, because
 * other statements of this connection may come in between.
 */
async function register(client: pg.Client, { replica, application, facts }: Joining): Promise<void> {
  await client.query(
    `with registered as (
       insert into replicas (id, application, model, is_command, seen_at) values ($1, $2, $3, $4, now())
       on conflict (id) do update set lock_key = default, seen_at = now()
       returning lock_key
     )
     select pg_advisory_lock($5, lock_key::integer) from registered`,
    [replica, application, facts.model, facts.isCommand, PRESENCE],
  );
}

/** Replicas join one at a time, so if two start together, the second sees the first. */
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
