import { CamelCasePlugin, CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { ownCell } from '#domain/cell/cell.ts';
import type { Principal } from '#domain/principal.ts';
import type { Tables } from './tables/tables.ts';

export type Database = Kysely<Tables>;

/** A connection inside `withOwner`, which is the only way to get one. */
export type OwnedTransaction = Kysely<Tables> & { readonly [owned]: true };
declare const owned: unique symbol;
export type Owner = Pick<Principal, 'userId'>;

/**
 * The locks of a frozen client are released after a few seconds, and no statement waits for a lock much longer than
 * that. A connection that is cut silently is detected.
 */
const SESSION = `
  set statement_timeout = '30s';
  set lock_timeout = '10s';
  set idle_in_transaction_session_timeout = '5s';
  set tcp_user_timeout = '15s'`;
const ANSWER_MS = 31_000;

export type CreatePool = (config: pg.PoolConfig) => pg.Pool;

/** The pool for all queries made on behalf of a user. */
export function connectStore(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
  createPool: CreatePool = (config) => new pg.Pool(config),
): Database {
  const { onConnect, ...rest } = connection;
  const pool = createPool({
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

/** Closes the other branches of the row-level policies, in case a connection pooler hands over a session with such a setting. */
const UNMARKED = `set local app.engine = 'off'; set local app.identities = 'off'`;

/**
 * Runs `act` in one transaction that sees only the rows of `owner`: each query filters by owner, and row-level security
 * enforces it. The owner is set in the same round trip that begins the transaction. In a cell, it is refused while the owner
 * moves to another one.
 */
export function withOwner<T>(db: Database, owner: Owner, act: (trx: OwnedTransaction) => Promise<T>): Promise<T> {
  const user = pg.escapeLiteral(owner.userId);
  const staying = ownCell() === undefined ? '' : `; select refuse_moving(array[${user}])`;
  const begin = `begin; ${UNMARKED}; set local app.user_id = ${user}${staying}`;
  return db.connection().execute(async (connection) => {
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
      const result = await act(connection as OwnedTransaction);
      await connection.executeQuery(COMMIT);
      return result;
    } catch (error) {
      await connection.executeQuery(ROLLBACK).catch(() => {}); // the first error is the one to report
      throw error;
    }
  });
}

const COMMIT = CompiledQuery.raw('commit');
const ROLLBACK = CompiledQuery.raw('rollback');

/** Runs a statement as written, for hot paths where building it with Kysely each time would cost more than running it. */
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
