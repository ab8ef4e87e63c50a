import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Principal } from '#domain/principal.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** A connection inside `withOwner`; nothing else makes one. */
export type OwnedTransaction = Kysely<Tables> & { readonly [owned]: true };
declare const owned: unique symbol;
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

/**
 * Everything inside is one transaction that sees only what belongs to `owner`: each query says so, and row-level
 * security holds it to that. The owner is set in the same trip to the server that begins the transaction.
 */
export function withOwner<T>(db: Database, owner: Owner, act: (trx: OwnedTransaction) => Promise<T>): Promise<T> {
  const begin = `begin; select set_config('app.user_id', ${pg.escapeLiteral(owner.userId)}, true)`;
  return db.connection().execute(async (connection) => {
    await sql.raw(begin).execute(connection);
    try {
      const result = await act(connection as OwnedTransaction);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      await sql`rollback`.execute(connection).catch(() => {}); // the first error is the one to tell
      throw error;
    }
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
