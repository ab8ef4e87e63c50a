import { sql } from 'kysely';
import { newId } from '#domain/ids.ts';
import type { McpOAuth, McpServer } from '#domain/tool/mcp-server.ts';
import type { Audited } from '../audit.ts';
import type { Database, OwnedTransaction, Owner } from '../connection.ts';

/** The owner of the servers shared with all users. */
export const EVERYONE: Owner = { userId: '*' };

export type NewMcpServer = Pick<
  McpServer,
  | 'name'
  | 'url'
  | 'privateNetwork'
  | 'trustAnnotations'
  | 'headers'
  | 'command'
  | 'oauth'
  | 'discovery'
  | 'offers'
  | 'tools'
  | 'leftOut'
> & { readonly refreshInMs: number };

/** The result of asking a server for its tools. */
export type McpListing = Pick<McpServer, 'discovery' | 'offers' | 'tools' | 'leftOut'> & {
  readonly refreshInMs: number;
  readonly isReviewed: boolean;
};

/** Returns the ID; undefined when the owner has a server of this name. Its tools count as reviewed. */
export async function insertMcpServer(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  server: NewMcpServer,
): Promise<string | undefined> {
  const { name, url, privateNetwork, trustAnnotations, refreshInMs } = server;
  const row = await trx
    .insertInto('mcpServers')
    .values({
      id: newId(),
      userId: owner.userId,
      name,
      url,
      privateNetwork,
      trustAnnotations,
      headers: JSON.stringify(server.headers),
      oauth: server.oauth && JSON.stringify(server.oauth),
      command: server.command && JSON.stringify(server.command),
      discovery: JSON.stringify(server.discovery),
      offers: JSON.stringify(server.offers),
      tools: JSON.stringify(server.tools),
      leftOut: JSON.stringify(server.leftOut),
      accepted: JSON.stringify(server.tools),
      problem: null,
      refreshAt: inMs(refreshInMs),
    })
    .onConflict((taken) => taken.columns(['userId', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row) await markChanged(trx);
  return row?.id;
}

export function listMcpServers(trx: OwnedTransaction, owner: Owner): Promise<McpServer[]> {
  return trx.selectFrom('mcpServers').selectAll().where('userId', '=', owner.userId).orderBy('name').execute();
}

export function findMcpServer(trx: OwnedTransaction, owner: Owner, name: string): Promise<McpServer | undefined> {
  return trx
    .selectFrom('mcpServers')
    .selectAll()
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Returns the removed server. */
export async function deleteMcpServer(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  name: string,
): Promise<McpServer | undefined> {
  const removed = await trx
    .deleteFrom('mcpServers')
    .where('userId', '=', owner.userId)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
  if (removed) await markChanged(trx);
  return removed;
}

/** Accepts the tools with these digests as reviewed; returns false when the server lists others by now. */
export async function acceptMcpTools(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  server: Pick<McpServer, 'id' | 'tools' | 'listedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('mcpServers')
    .set({ accepted: JSON.stringify(server.tools) })
    .where('userId', '=', owner.userId)
    .where('id', '=', server.id)
    .where(sql<boolean>`date_trunc('milliseconds', listed_at) = ${server.listedAt}`)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await markChanged(trx);
  return numUpdatedRows > 0n;
}

/** Takes on the listing of a server that is due, so that no other replica does the same. */
export async function claimMcpRefresh(
  trx: OwnedTransaction,
  owner: Owner,
  id: string,
  leaseMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('mcpServers')
    .set({ refreshAt: inMs(leaseMs) })
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .where('refreshAt', '<=', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function saveMcpListing(
  trx: OwnedTransaction,
  owner: Owner,
  id: string,
  listing: McpListing,
): Promise<void> {
  await trx
    .updateTable('mcpServers')
    .set({
      discovery: JSON.stringify(listing.discovery),
      offers: JSON.stringify(listing.offers),
      tools: JSON.stringify(listing.tools),
      leftOut: JSON.stringify(listing.leftOut),
      ...(listing.isReviewed && { accepted: JSON.stringify(listing.tools) }),
      problem: null,
      failures: 0,
      listedAt: sql<Date>`clock_timestamp()`,
      refreshAt: inMs(listing.refreshInMs),
    })
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .execute();
  await markChanged(trx);
}

/** The tools stay as they were listed last. */
export async function saveMcpProblem(
  trx: OwnedTransaction,
  owner: Owner,
  id: string,
  {
    problem,
    retryInMs,
    oauth,
  }: { readonly problem: string; readonly retryInMs: number; readonly oauth: McpOAuth | null },
): Promise<void> {
  await trx
    .updateTable('mcpServers')
    .set({
      problem,
      oauth: oauth && JSON.stringify(oauth),
      failures: sql<number>`failures + 1`,
      refreshAt: inMs(retryInMs),
    })
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .execute();
  await markChanged(trx);
}

/** Changes whenever a server does; undefined while there never was one. So most turns need no query for servers. */
export async function readMcpVersion(db: Database): Promise<string | undefined> {
  const row = await db.selectFrom('mcpVersion').select(sql<string>`changed_at::text`.as('version')).executeTakeFirst();
  return row?.version;
}

/** In the transaction of the change. The lock on the row puts the versions in the order of the commits. */
async function markChanged(trx: OwnedTransaction): Promise<void> {
  await trx
    .insertInto('mcpVersion')
    .values({ one: true })
    .onConflict((known) => known.column('one').doUpdateSet({ changedAt: sql<Date>`clock_timestamp()` }))
    .execute();
}

const inMs = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
