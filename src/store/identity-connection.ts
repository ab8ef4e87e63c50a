import type pg from 'pg';
import { connectStore, type Database } from './connection.ts';

/** Sees every user, token and session, and the audit log; nothing that belongs to anybody. */
export type IdentityDatabase = Database & { readonly [identities]: true };
declare const identities: unique symbol;

/** A transaction inside `inOneGo`; nothing else makes one. */
export type IdentityTransaction = IdentityDatabase & { readonly [inTransaction]: true };
declare const inTransaction: unique symbol;

const MARK = `set app.identities = 'on'`;

/**
 * A small pool of its own, so that recognising somebody never waits behind long work, nor long for a database that
 * does not answer. Its mark opens the policies of the tables that tell who is who; nothing outside this file may set it.
 */
export function connectIdentities(connection: pg.PoolConfig, onError: (error: unknown) => void): IdentityDatabase {
  const pool = {
    ...connection,
    max: 4,
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
    onConnect: (client: pg.ClientBase) => client.query(MARK),
  };
  return connectStore(pool, onError) as IdentityDatabase;
}

/** Opens those tables to a session that already sees everything else: an archive carries them all. */
export async function openIdentities(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(MARK);
}

/** All of it, or nothing. */
export function inOneGo<T>(db: IdentityDatabase, act: (trx: IdentityTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute((trx) => act(trx as unknown as IdentityTransaction));
}
