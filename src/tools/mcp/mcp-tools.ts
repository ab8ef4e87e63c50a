import { backoff } from '#domain/backoff.ts';
import { remember } from '#domain/remember.ts';
import type { McpServer } from '#domain/tool/mcp-server.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import {
  claimMcpRefresh,
  EVERYONE,
  listMcpServers,
  readMcpVersion,
  saveMcpListing,
  saveMcpProblem,
} from '#store/tools/mcp-servers.ts';
import { AuthFailure } from '../auth/auth-failure.ts';
import type { Tool } from '../tool.ts';
import type { McpHost } from './call-server.ts';
import { listMcpTools } from './mcp-client.ts';
import { McpFailure } from './mcp-failure.ts';
import { createMcpTool } from './mcp-tool.ts';
import { createResourceTool, RESOURCES } from './offers/resource-tool.ts';
import { programOf } from './with-client.ts';

export type McpToolSource = {
  /** The tools of the owner's servers and of everyone's. */
  toolsFor(owner: Owner): Promise<readonly Tool[]>;
  /** The next turn on this replica sees a change at once. */
  forget(): void;
  close(): Promise<void>;
};

/** How long a change by another process can go unnoticed. */
const REMEMBER_MS = 1000;
const MAX_REMEMBERED = 1000;

/** Of one refresh; another replica tries again after it. */
const LEASE_MS = 60_000;
const RETRY_MS = { first: LEASE_MS, longest: 60 * 60_000 };

type Offered = { readonly version: string; readonly servers: readonly McpServer[]; readonly tools: readonly Tool[] };

/** Offers the tools of MCP servers. A list that is due is read again in the background, by one replica. */
export function createMcpTools(db: Database, host: McpHost, onError: (error: unknown) => void): McpToolSource {
  const remembered = new Map<string, Promise<Offered>>();
  const refreshing = new Map<string, Promise<void>>();
  const stop = new AbortController();
  const version = remember(REMEMBER_MS, () => readMcpVersion(db));

  async function load(owner: Owner, at: string): Promise<Offered> {
    const shared = await withOwner(db, EVERYONE, (trx) => listMcpServers(trx, EVERYONE));
    const own = await withOwner(db, owner, (trx) => listMcpServers(trx, owner));
    const servers = [...own.filter(({ name }) => shared.every((each) => each.name !== name)), ...shared];
    return { version: at, servers, tools: servers.flatMap(toolsOf) };
  }

  function toolsOf(server: McpServer): Tool[] {
    const tools = server.tools.map((tool) => createMcpTool(server, tool, host));
    const hasReader = server.offers.resources && server.tools.every(({ name }) => name !== RESOURCES);
    return hasReader ? [...tools, createResourceTool(server, host)] : tools;
  }

  async function offeredTo(owner: Owner, at: string): Promise<Offered> {
    const before = await remembered.get(owner.userId)?.catch(() => undefined);
    if (before?.version === at) return before;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const offered = load(owner, at);
    remembered.set(owner.userId, offered);
    return offered;
  }

  function refreshDue(servers: readonly McpServer[], asker: Owner): void {
    const now = Date.now();
    for (const server of servers) {
      if (server.refreshAt.getTime() > now || refreshing.has(server.id) || stop.signal.aborted) continue;
      const work = refresh(server, asker)
        .catch(onError)
        .finally(() => refreshing.delete(server.id));
      refreshing.set(server.id, work);
    }
  }

  async function refresh(server: McpServer, asker: Owner): Promise<void> {
    const owner = { userId: server.userId };
    if (!(await withOwner(db, owner, (trx) => claimMcpRefresh(trx, owner, server.id, LEASE_MS)))) return;
    await refreshMcpServer(db, server, host, { asker, signal: stop.signal });
    version.forget();
  }

  return {
    async toolsFor(owner) {
      const current = await version.read();
      if (current === undefined) return [];
      const { servers, tools } = await offeredTo(owner, current);
      refreshDue(servers, owner);
      return tools;
    },
    forget: version.forget,
    async close() {
      stop.abort();
      await Promise.allSettled(refreshing.values());
    },
  };
}

/**
 * Lists the tools of a server again and stores them, or why that failed. Returns the problem. The tools of the first list
 * count as reviewed: a person has just added the server.
 */
export async function refreshMcpServer(
  db: Database,
  server: McpServer,
  host: Pick<McpHost, 'egress' | 'version' | 'headers' | 'tokens' | 'local'>,
  { asker, signal }: { readonly asker: Owner; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const owner = { userId: server.userId };
  const { headers, values } = await host.headers.read(server);
  const tokens = host.tokens.of(server, asker, 'list');
  try {
    const current = await tokens?.current();
    const secrets = current === undefined ? values : [...values, current];
    const listing = await listMcpTools(
      host,
      { ...server, headers, tokens, program: programOf(server) },
      secrets,
      signal,
    );
    const isFirst = server.discovery.version === '';
    await withOwner(db, owner, (trx) => saveMcpListing(trx, owner, server.id, { ...listing, isReviewed: isFirst }));
    return undefined;
  } catch (error) {
    if (signal?.aborted) return undefined; // the lease ends soon, and the next replica tries again
    const failure = error instanceof AuthFailure ? new McpFailure('unreachable', error.message) : error;
    if (!(failure instanceof McpFailure)) throw error;
    const oauth = await findSignIn(server, failure, host);
    const said = failure.reason === 'sign-in' ? SIGN_IN : failure.message;
    const problem = values.reduce((text, value) => text.replaceAll(value, '[secret]'), said);
    const retryInMs = backoff(server.failures + 1, RETRY_MS);
    await withOwner(db, owner, (trx) => saveMcpProblem(trx, owner, server.id, { problem, retryInMs, oauth }));
    return problem;
  }
}

const SIGN_IN = 'The server asks for a sign-in.';

/** A server may start to want a sign-in after it was added. */
async function findSignIn(server: McpServer, { challenge }: McpFailure, { tokens }: Pick<McpHost, 'tokens'>) {
  if (server.oauth !== null || !challenge) return server.oauth;
  try {
    return await tokens.discover(server, challenge);
  } catch (error) {
    if (error instanceof AuthFailure || error instanceof EgressFailed || error instanceof EgressRefused) return null;
    throw error;
  }
}
