import { Conflict, InvalidRequest, NotFound, RateLimited } from '#domain/errors.ts';
import { isOperator, type Principal, requireOperator } from '#domain/principal.ts';
import type { McpHeader, McpServer } from '#domain/tool/mcp-server.ts';
import { audited } from '#store/audit.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import {
  acceptMcpTools,
  deleteMcpServer,
  EVERYONE,
  findMcpServer,
  insertMcpServer,
  listMcpServers,
} from '#store/tools/mcp-servers.ts';
import { checkMcpServer, type McpServerRequest } from '#tools/mcp/check-server.ts';
import { listMcpTools } from '#tools/mcp/mcp-client.ts';
import { McpFailure } from '#tools/mcp/mcp-failure.ts';
import type { McpHost } from '#tools/mcp/mcp-tool.ts';
import { refreshMcpServer } from '#tools/mcp/mcp-tools.ts';
import { headerSecret, holderOf, splitHeader } from '#tools/mcp/server-headers.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

export type McpAdmin = ReturnType<typeof createMcpAdmin>;

/** Whose server it is: a user's own, or everyone's, which only operators change. */
export type McpHolder = Owner | 'everyone';

/** `hidden`: everyone's server of the same name takes precedence. */
export type ListedMcpServer = McpServer & { readonly source: 'me' | 'everyone'; readonly hidden: boolean };

const MAX_SERVERS = 20;

/** Each addition and refresh sends requests to an address that the caller chose. */
const RATE: RateLimit = { limit: 20, windowSeconds: 60 };

/** Manages MCP servers: users add their own, operators also add servers for everyone. */
export function createMcpAdmin(parts: {
  readonly db: Database;
  readonly secrets: Pick<Secrets, 'inVault'>;
  readonly network: Pick<McpHost, 'egress' | 'version' | 'headers'>;
  /** Called after each change. */
  readonly onChange?: () => void;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
}) {
  const { db, secrets, network, onChange: changed = () => {} } = parts;
  const list = (owner: Owner) => withOwner(db, owner, (trx) => listMcpServers(trx, owner));

  async function limit(actor: Principal): Promise<void> {
    const { isAllowed, retryInSeconds } = await parts.takeUse(`mcp-admin:${actor.userId}`, RATE);
    if (!isAllowed)
      throw new RateLimited(retryInSeconds, `Too many requests to MCP servers. Retry in ${retryInSeconds} s.`);
  }

  async function getOwned(actor: Principal, name: string, holder: McpHolder): Promise<McpServer> {
    const owner = ownerFor(actor, holder);
    const found = await withOwner(db, owner, (trx) => findMcpServer(trx, owner, name));
    if (!found) throw noServer(name);
    return found;
  }

  return {
    /** The caller's servers and everyone's. */
    async list(principal: Principal): Promise<ListedMcpServer[]> {
      const shared = await list(EVERYONE);
      const own = await list(principal);
      const isShared = (name: string) => shared.some((each) => each.name === name);
      const listed = [
        ...shared.map((server) => ({ ...server, source: 'everyone' as const, hidden: false })),
        ...own.map((server) => ({ ...server, source: 'me' as const, hidden: isShared(server.name) })),
      ];
      return listed.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
    },

    /** The servers of one holder. */
    listOwned: (actor: Principal, holder: McpHolder): Promise<McpServer[]> => list(ownerFor(actor, holder)),

    /** The server that the agent uses under this name, or the one of that holder. */
    async get(principal: Principal, name: string, source?: 'me' | 'everyone'): Promise<ListedMcpServer> {
      const servers = await this.list(principal);
      const found = servers.find((each) => each.name === name && (source ? each.source === source : !each.hidden));
      if (!found) throw noServer(name);
      return found;
    },

    getOwned,

    /** Connects to the server, lists its tools, and stores both. The tools count as reviewed by the caller. */
    async add(actor: Principal, request: McpServerRequest, holder: McpHolder): Promise<McpServer> {
      const owner = ownerFor(actor, holder);
      const { name, url, privateNetwork, trustAnnotations } = request;
      checkMcpServer(request, isOperator(actor));
      await limit(actor);
      const existing = await list(owner);
      const shared = owner === EVERYONE ? existing : await list(EVERYONE);
      if ([...existing, ...shared].some((each) => each.name === name)) throw taken(name);
      if (existing.length >= MAX_SERVERS)
        throw new InvalidRequest('invalid_request', null, `There can be ${MAX_SERVERS} servers. Remove one first.`);

      const split = Object.entries(request.headers).map(([header, value]) => splitHeader(header.toLowerCase(), value));
      const headers = Object.fromEntries(split.map(({ header, secret }) => [header.name, header.prefix + secret]));
      const keys = split.map(({ secret }) => secret);
      const listing = await orExplain(() => listMcpTools(network, { name, url, privateNetwork, headers }, keys));

      await secrets.inVault(holderOf(owner.userId), async (vault, trx) => {
        if (split.length > 0) await vault.claimKey();
        const kept = split.map(({ header }): McpHeader => header);
        const server = { name, url, privateNetwork, trustAnnotations, headers: kept, ...listing };
        const detail = { for: holder === 'everyone' ? 'everyone' : owner.userId, origin: new URL(url).origin };
        const entry = { actor: actor.userId, action: 'mcp.add', subject: name, detail: { ...detail, privateNetwork } };
        const inserted = await audited(
          trx,
          (writing) => insertMcpServer(writing, owner, server),
          (done) => (done ? entry : 'no right changed'),
        );
        if (!inserted) throw taken(name);
        for (const { header, secret } of split) {
          const secretName = headerSecret(name, header.name);
          const change = { action: 'secret.put', name: secretName, actor: actor.userId } as const;
          await vault.change((writer) => writer.put(secretName, secret), change);
        }
      });
      changed();
      return getOwned(actor, name, holder);
    },

    /** Lists the tools again. New and changed ones need a review. */
    async refresh(actor: Principal, name: string, holder: McpHolder): Promise<McpServer> {
      const server = await getOwned(actor, name, holder);
      await limit(actor);
      await refreshMcpServer(db, server, network);
      changed();
      return getOwned(actor, name, holder);
    },

    /** Accepts the tools as they were listed at `listedAt`. */
    async accept(actor: Principal, name: string, holder: McpHolder, listedAt: Date): Promise<McpServer> {
      const owner = ownerFor(actor, holder);
      const server = await getOwned(actor, name, holder);
      const entry = { actor: actor.userId, action: 'mcp.accept', subject: name, detail: { for: owner.userId } };
      const accepted = await withOwner(db, owner, (trx) =>
        audited(
          trx,
          (writing) => acceptMcpTools(writing, owner, { ...server, listedAt }),
          (done) => (done ? entry : 'no right changed'),
        ),
      );
      if (!accepted)
        throw new Conflict('already_exists', `The tools of "${name}" were listed again since. Look at them again.`);
      changed();
      return getOwned(actor, name, holder);
    },

    async remove(actor: Principal, name: string, holder: McpHolder): Promise<void> {
      const owner = ownerFor(actor, holder);
      await secrets.inVault(holderOf(owner.userId), async (vault, trx) => {
        const entry = { actor: actor.userId, action: 'mcp.remove', subject: name, detail: { for: owner.userId } };
        const removed = await audited(
          trx,
          (writing) => deleteMcpServer(writing, owner, name),
          (done) => (done ? entry : 'no right changed'),
        );
        if (!removed) throw noServer(name);
        for (const header of removed.headers) {
          const secretName = headerSecret(name, header.name);
          const change = { action: 'secret.remove', name: secretName, actor: actor.userId } as const;
          await vault.change((writer) => writer.remove(secretName), change);
        }
      });
      changed();
    },
  };
}

/** Only operators change the servers of others. */
function ownerFor(actor: Principal, holder: McpHolder): Owner {
  const owner = holder === 'everyone' ? EVERYONE : holder;
  if (owner.userId !== actor.userId) requireOperator(actor);
  return owner;
}

const noServer = (name: string) => new NotFound(`There is no MCP server "${name.slice(0, 64)}" here.`);

const taken = (name: string) =>
  new Conflict('already_exists', `There is an MCP server "${name}" already. Remove it, or choose another name.`);

async function orExplain<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof McpFailure) throw new InvalidRequest('invalid_request', 'url', error.message);
    throw error;
  }
}
