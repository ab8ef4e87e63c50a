import { CamelCasePlugin, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Principal } from '#domain/principal.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type OwnedTransaction = Transaction<Tables>;
export type Owner = Pick<Principal, 'userId'>;

/** A pool for everything that is done on behalf of somebody. */
export function connectStore(connection: pg.PoolConfig, onError: (error: unknown) => void): Database {
  const pool = new pg.Pool({ max: 20, ...connection });
  pool.on('error', onError);
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Everything inside sees only what belongs to `owner`: each query says so, and row-level security holds it to that. */
export function withOwner<T>(db: Database, owner: Owner, act: (trx: OwnedTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('app.user_id', ${owner.userId}, true)`.execute(trx);
    return act(trx);
  });
}

export async function isReachable(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db);
    return true;
  } catch {
    return false;
  }
}
