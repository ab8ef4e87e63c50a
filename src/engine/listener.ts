import type pg from 'pg';
import type { ReplicaId } from '#domain/ids.ts';
import { connectEngineClient } from './engine-connection.ts';

const CHANNEL = 'reborn';
/** The first key of every presence lock; the second is the replica's number. */
export const PRESENCE = 8247;

/** What replicas tell each other. It may only hurry: whoever misses it finds out by looking. */
export type Signal = { readonly wake: true } | { readonly cancel: string } | { readonly events: ReplicaId };

export type Listener = {
  /** Since when this replica's presence can be seen by its peers; undefined while the connection is down. */
  readonly presentSince: () => number | undefined;
  close(): Promise<void>;
};

/**
 * One connection per process that hears the others and holds this replica's presence lock.
 * When it breaks it is made again, and `onConnect` lets the owner look for what was missed.
 */
export async function startListener(options: {
  connection: pg.PoolConfig;
  replica: ReplicaId;
  onSignal: (signal: Signal) => void;
  onConnect: () => void;
  onError: (error: unknown) => void;
}): Promise<Listener> {
  let client: pg.Client | undefined;
  let since: number | undefined;
  let closed = false;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = await connectEngineClient(options.connection);
    fresh.on('error', options.onError);
    fresh.on('end', () => {
      since = undefined;
      if (!closed) reconnectSoon();
    });
    fresh.on('notification', ({ payload }) => options.onSignal(JSON.parse(payload ?? '') as Signal));
    client = fresh;
    await announce(fresh, options.replica);
    await fresh.query(`listen ${CHANNEL}`);
    since = performance.now();
    options.onConnect();
  }

  function reconnectSoon(): void {
    retry = setTimeout(() => {
      connect().catch((error: unknown) => {
        options.onError(error);
        void client?.end().catch(options.onError);
        if (!closed) reconnectSoon();
      });
    }, 250);
  }

  await connect();
  return {
    presentSince: () => since,
    close: async () => {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}

/** The row becomes visible only when the lock is already held, so that a living replica never looks dead. */
async function announce(client: pg.Client, replica: ReplicaId): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ lockKey: string }>(
    `insert into replicas (id) values ($1)
     on conflict (id) do update set lock_key = default
     returning lock_key as "lockKey"`,
    [replica],
  );
  await client.query('select pg_advisory_lock($1, $2::bigint::integer)', [PRESENCE, rows[0]?.lockKey]);
  await client.query('commit');
}

export async function sendSignal(database: Pick<pg.Pool, 'query'>, signal: Signal): Promise<void> {
  await database.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(signal)]);
}
