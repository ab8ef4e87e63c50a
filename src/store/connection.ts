import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Principal } from '#domain/principal.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** A connection inside `withOwner`; nothing else makes one. */
export type OwnedTransaction = Kysely<Tables> & { readonly [owned]: true };
declare const owned: unique symbol;
export type Owner = Pick<Principal, 'userId'>;

/**
 * What a client that freezes holds is free again after a few seconds, and nobody waits for a lock much longer than that. A line
 * that is cut without a word is noticed.
 */
const SESSION = `
  set statement_timeout = '30s';
  set lock_timeout = '10s';
  set idle_in_transaction_session_timeout = '5s';
  set tcp_user_timeout = '15s'`;
const ANSWER_MS = 31_000;

/** A pool for everything that is done on behalf of somebody. */
export function connectStore(connection: pg.PoolConfig, onError: (error: unknown) => void): Database {
  const { onConnect, ...rest } = connection;
  const pool = new pg.Pool({
    max: 20,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    query_timeout: ANSWER_MS,
    ...rest,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its types don't say so
    onConnect: (client) => client.query(SESSION).then(() => onConnect?.(client)),
  });
  pool.on('error', onError);
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Closes the other branches of the row-level policies, in case a pooler hands us a session that somebody has marked. */
const UNMARKED = `set local app.engine = 'off'; set local app.identities = 'off'`;

/**
 * Everything inside is one transaction that sees only what belongs to `owner`: each query says so, and row-level
 * security holds it to that. The owner is set in the same trip to the server that begins the transaction.
 */
export function withOwner<T>(db: Database, owner: Owner, act: (trx: OwnedTransaction) => Promise<T>): Promise<T> {
  const begin = `begin; ${UNMARKED}; set local app.user_id = ${pg.escapeLiteral(owner.userId)}`;
  return db.connection().execute(async (connection) => {
    await connection.executeQuery(CompiledQuery.raw(begin));
    try {
      const result = await act(connection as OwnedTransaction);
      await connection.executeQuery(COMMIT);
      return result;
    } catch (error) {
      await connection.executeQuery(ROLLBACK).catch(() => {}); // the first error is the one to tell
      throw error;
    }
  });
}

const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

/** Runs a statement as it is written: for hot paths, where building it anew each time would cost more than running it. */
export async function runStatement<Row>(trx: OwnedTransaction, statement: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await trx.withoutPlugins().executeQuery<Row>(CompiledQuery.raw(statement, values));
  return rows;
}

export async function isReachable(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch {
    return false;
  }
}
