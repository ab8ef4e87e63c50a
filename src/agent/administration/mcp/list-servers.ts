import type { Principal } from '#domain/principal.ts';
import type { McpServer } from '#domain/tool/mcp-server.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import { EVERYONE, findMcpServer, listMcpServers } from '#store/tools/mcp-servers.ts';
import { type McpAdminParts, type McpHolder, noServer, ownerFor } from './mcp-access.ts';

/** `hidden`: everyone's server of the same name takes precedence. */
export type ListedMcpServer = McpServer & {
  readonly source: 'me' | 'everyone';
  readonly hidden: boolean;
  readonly signIn: McpSignInState;
};

/** Whether the caller must sign in to the server, has done so, or need not. */
export type McpSignInState = 'none' | 'needed' | 'done';

/** The caller's servers or, for an operator, another user's, and everyone's, by name. */
export async function listServers(
  parts: McpAdminParts,
  principal: Principal,
  user: Owner = principal,
): Promise<ListedMcpServer[]> {
  const { db, network } = parts;
  const shared = await listServersOf(db, EVERYONE);
  const own = await listServersOf(db, ownerFor(principal, user));
  const isShared = (name: string) => shared.some((each) => each.name === name);
  const found = [
    ...shared.map((server) => ({ ...server, source: 'everyone' as const, hidden: false })),
    ...own.map((server) => ({ ...server, source: 'me' as const, hidden: isShared(server.name) })),
  ];
  const listed = await Promise.all(
    found.map(async (server) => ({ ...server, signIn: await signInState(network, server, user) })),
  );
  return listed.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

export const listServersOf = (db: Database, owner: Owner): Promise<McpServer[]> =>
  withOwner(db, owner, (trx) => listMcpServers(trx, owner));

export async function signInState(
  { tokens }: Pick<McpAdminParts['network'], 'tokens'>,
  server: McpServer,
  who: Owner,
): Promise<McpSignInState> {
  if (server.oauth === null) return 'none';
  return (await tokens.needsSignIn(server, who)) ? 'needed' : 'done';
}

/** The server of one holder. */
export async function getOwned(db: Database, actor: Principal, name: string, holder: McpHolder): Promise<McpServer> {
  const owner = ownerFor(actor, holder);
  const found = await withOwner(db, owner, (trx) => findMcpServer(trx, owner, name));
  if (!found) throw noServer(name);
  return found;
}

/** The server that the agent uses under this name, or the one of that holder. */
export async function getServer(
  parts: McpAdminParts,
  principal: Principal,
  name: string,
  holder?: McpHolder,
  user: Owner = holder === undefined || holder === 'everyone' ? principal : holder,
): Promise<ListedMcpServer> {
  const servers = await listServers(parts, principal, user);
  const source = holder && (holder === 'everyone' ? 'everyone' : 'me');
  const found = servers.find((each) => each.name === name && (source ? each.source === source : !each.hidden));
  if (!found) throw noServer(name);
  return found;
}
