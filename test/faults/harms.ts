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
  await asSuperuser(cluster, `alter role reborn connection limit 4`);
  await asSuperuser(
    cluster,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where usename = 'reborn' and application_name <> 'reborn-owner'`,
  );
  await sleep(milliseconds);
  await asSuperuser(cluster, `alter role reborn connection limit -1`);
}

/** For a while the primary refuses writes, as during a switchover. */
export async function makeReadOnly(cluster: Cluster, milliseconds: number): Promise<void> {
  await asSuperuser(cluster, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
  await sleep(milliseconds);
  await asSuperuser(cluster, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()');
}

/** For a while every write of items, events and usage is refused with this code. */
export async function refuseWrites(cluster: Cluster, code: string, milliseconds: number): Promise<void> {
  const tables = ['items', 'turn_events', 'usage_days'];
  await insist(
    cluster,
    `create function refuse() returns trigger language plpgsql as
     $$ begin raise exception using errcode = '${code}', message = 'refused by a test'; end $$`,
  );
  for (const table of tables)
    await insist(
      cluster,
      `create trigger refuse before insert or update on ${table} for each statement execute function refuse()`,
    );
  await sleep(milliseconds);
  await insist(cluster, 'drop function refuse() cascade');
}

/** Changes the schema under load, and tries again after a deadlock. */
async function insist(cluster: Cluster, statement: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await query(cluster, statement);
      return;
    } catch (error) {
      if (tries === 20 || (error as { code?: unknown }).code !== '40P01') throw error;
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
