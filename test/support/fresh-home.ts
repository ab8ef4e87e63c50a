import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDatabase } from '#database/open-database.ts';
import { engineQuery } from './engine-query.ts';
import { placePreparedCluster } from './prepared-cluster.ts';
import { findPreparedTemplate, runOn, withDatabase } from './prepared-template.ts';
import { sharedServer } from './shared-server.ts';
import { waitFor } from './wait-for.ts';

export type Home = Awaited<ReturnType<typeof freshHome>>;

/**
 * A home folder, and the settings for a service with a separate database: the embedded one, or one on the server of
 * DATABASE_URL. The schema is already there unless the database is `empty`, for tests of a first start. If it does not matter
 * to a test where its database is, `shared` is the cheapest: without a DATABASE_URL, on the server of this process. Code runs only
 * where a test says so: each start would probe the machine.
 */
export async function freshHome({ empty = false, shared = false } = {}) {
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  await chmod(home, 0o711); // as root, PostgreSQL runs as another user
  const server = process.env['DATABASE_URL'] ?? (shared ? await sharedServer() : undefined);
  const database = server ? await createDatabase(server, empty) : undefined;
  const queryEmbedded = embeddedQuery(home);
  if (!server && !empty) await placePreparedCluster(home);
  return {
    home,
    env: { REBORN_HOME: home, SANDBOX: 'off', ...(database && { DATABASE_URL: database.url }) },
    /** Queries the database of a running service with the engine's rights. */
    query: async <T extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<T[]> => {
      if (database) return (await database.engine.query<T>(statement, values)).rows;
      return queryEmbedded<T>(statement, values);
    },
    async remove() {
      await database?.drop();
      // A process that is about to end may still write there.
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** A server that still runs is queried as it is: to become one of its owners first costs several connections. */
function embeddedQuery(home: string) {
  let last: pg.PoolConfig | undefined;
  return async <T extends pg.QueryResultRow>(statement: string, values: unknown[]): Promise<T[]> => {
    try {
      if (last) return await engineQuery<T>(last, statement, values); // several statements at once have no rows
    } catch (error) {
      if (!isStopped(error)) throw error;
    }
    const opened = await openDatabase({ url: undefined, home });
    last = opened.connection;
    try {
      return await engineQuery<T>(opened.connection, statement, values);
    } finally {
      await opened.close();
    }
  };
}

const CANNOT_CONNECT_NOW = '57P03';

function isStopped(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return ['ENOENT', 'ECONNREFUSED', CANNOT_CONNECT_NOW].includes(code);
}

async function createDatabase(server: string, empty: boolean) {
  const name = `reborn_test_${randomBytes(6).toString('hex')}`;
  const run = (statement: string) => runOn(server, statement);
  // Copied as files: the default would write every page of the template to the log, too.
  const template = empty ? '' : `template ${await findPreparedTemplate(server)} strategy file_copy`;
  await run(`create database ${name} ${template}`);
  const url = withDatabase(server, name);
  const engine = new pg.Pool({ connectionString: url, max: 1, options: '-c app.engine=on' });
  engine.on('error', () => {}); // some tests cut connections; the next query opens another one
  return {
    url,
    engine,
    // PostgreSQL may run an automatic vacuum in it, which we have no right to end.
    drop: async () => {
      await engine.end();
      await waitFor(`${name} to be dropped`, () => run(`drop database ${name} with (force)`).then(() => true, isInUse));
    },
  };
}

const INSUFFICIENT_PRIVILEGE = '42501';

function isInUse(error: unknown): undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
  return undefined;
}
