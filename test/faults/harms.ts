import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { query } from './query.ts';
import type { Words } from './tcp-proxy.ts';

/** Resets the connections that replicas use to listen and send heartbeats; both processes continue. */
export async function resetListeners(cluster: Cluster): Promise<void> {
  await query(
    cluster,
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 8247 and granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
}

/** For a while there are few connections, and the open ones are closed, as when another service scales up. */
export async function exhaustConnections(cluster: Cluster, milliseconds: number): Promise<void> {
  await harmFor(cluster, milliseconds, 'few connections', async () => {
    await asSuperuser(cluster, 'alter role reborn connection limit 4');
    await asSuperuser(
      cluster,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = 'reborn' and application_name <> 'reborn-owner'`,
    );
  });
}

/** For a while the primary refuses writes, as during a switchover. */
export async function makeReadOnly(cluster: Cluster, milliseconds: number): Promise<void> {
  await harmFor(cluster, milliseconds, 'read-only', () =>
    asSuperuser(cluster, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
  );
}

/** For a while every write of items, events and usage is refused with this code. */
export async function refuseWrites(cluster: Cluster, code: string, milliseconds: number): Promise<void> {
  const statements = [
    `create or replace function refuse() returns trigger language plpgsql as
     $$ begin raise exception using errcode = '${code}', message = 'refused by a test'; end $$`,
    ...['items', 'turn_events', 'usage_days'].map(
      (table) =>
        `create or replace trigger refuse before insert or update on ${table} for each statement execute function refuse()`,
    ),
  ];
  await harmFor(cluster, milliseconds, 'refused writes', async () => {
    for (const statement of statements) await insist(() => query(cluster, statement)); // deadlocks with the load are usual
  });
}

/** What ends each harm, whether it was caused or not. */
const ENDS: Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>> = {
  'few connections': (cluster) => asSuperuser(cluster, 'alter role reborn connection limit -1'),
  'read-only': (cluster) =>
    asSuperuser(cluster, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()'),
  'refused writes': (cluster) => query(cluster, 'drop function if exists refuse() cascade'),
};

/** A harm that could not be ended: what follows says nothing about the service. */
export class HarmRemains extends Error {
  override readonly name = 'HarmRemains';
}

/** Ends the harms of which a part may be left. */
export async function endHarms(cluster: Cluster): Promise<void> {
  for (const harm of Object.keys(ENDS)) await endHarm(cluster, harm);
}

async function harmFor(
  cluster: Cluster,
  milliseconds: number,
  harm: string,
  cause: () => Promise<void>,
): Promise<void> {
  try {
    await cause();
    await sleep(milliseconds);
  } finally {
    await endHarm(cluster, harm);
  }
}

async function endHarm(cluster: Cluster, harm: string): Promise<void> {
  await insist(async () => ENDS[harm]?.(cluster)).catch((error: unknown) => {
    throw new HarmRemains(`${harm} could not be ended: ${String(error)}`, { cause: error });
  });
}

const INSIST_MS = 30_000;
const AGAIN_MS = 100;

/** Repeats `act` until it succeeds; throws its error when the time is up. */
export async function insist(act: () => Promise<unknown>, forMs = INSIST_MS): Promise<void> {
  for (const end = performance.now() + forMs; ; await sleep(AGAIN_MS)) {
    try {
      await act();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** For a while statements are cancelled as soon as they appear. */
export async function cancelStatements(cluster: Cluster, milliseconds: number): Promise<void> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(10))
    await query(
      cluster,
      `select pg_cancel_backend(pid) from pg_stat_activity
       where usename = 'reborn' and state <> 'idle' and pid <> pg_backend_pid()`,
    );
}

/** The event log is lost in the middle of a turn, as after a crash of PostgreSQL. */
export async function loseEventLog(cluster: Cluster): Promise<void> {
  await query(cluster, 'truncate turn_events');
}

/** The next such statement runs, and its connection ends before the answer. */
export async function loseAnswer(cluster: Cluster, words: Words): Promise<void> {
  const lost = cluster.proxy.loseAnswerTo(words);
  await wakeAll(cluster); // so that replicas also claim, which they do only if they expect work
  await lost;
}

/** Makes every replica look for turns to claim. */
export async function wakeAll(cluster: Cluster): Promise<void> {
  await query(cluster, `select pg_notify('reborn', '{"wake":true}')`);
}

/** This process owns the embedded server and starts it again. */
export async function signalPostmaster(cluster: Cluster, signal: NodeJS.Signals): Promise<void> {
  const file = await readFile(`${cluster.connection.host}/postmaster.pid`, 'utf8');
  process.kill(Number(file.split('\n')[0]), signal);
}

async function asSuperuser(cluster: Cluster, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ ...cluster.connection, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
