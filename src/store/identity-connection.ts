import type pg from 'pg';
import { type CreatePool, connectStore, type Database } from './connection.ts';

/** Can read every user, token and session, and the audit log, but no user data. */
export type IdentityDatabase = Database & { readonly [identities]: true };
declare const identities: unique symbol;

/** A transaction inside `runInTransaction`, which is the only way to get one. */
export type IdentityTransaction = IdentityDatabase & { readonly [inTransaction]: true };
declare const inTransaction: unique symbol;

/** A database that is only busy answers within this time; a caller of one that is away hears so after it. */
const PATIENCE_MS = 5000;

const MARK = `set app.identities = 'on'`;

/**
 * A separate small pool, so that authentication never waits behind long queries, nor long for a database that does not
 * answer. `app.identities` opens the policies of the identity tables; only this file may set it.
 */
export function connectIdentities(
  connection: pg.PoolConfig,
  onError: (error: unknown) => void,
  createPool?: CreatePool,
): IdentityDatabase {
  const pool = {
    ...connection,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    onConnect: (client: pg.ClientBase) => client.query(MARK),
  };
  return connectStore(pool, onError, createPool) as IdentityDatabase;
}

/** Opens the identity tables to a session that already sees everything else, because an archive contains them all. */
export async function openIdentities(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(MARK);
}

/** Runs `act` in one transaction. */
export function runInTransaction<T>(db: IdentityDatabase, act: (trx: IdentityTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute((trx) => act(trx as unknown as IdentityTransaction));
}
