import { Conflict, InvalidRequest, NotFound, RateLimited } from '#domain/errors.ts';
import { isOperator, type Principal, requireOperator } from '#domain/principal.ts';
import type { McpHeader, McpServer } from '#domain/tool/mcp-server.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
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
import { AuthFailure } from '#tools/auth/auth-failure.ts';
import type { AuthorizationAnswer } from '#tools/auth/authorization-server.ts';
import type { BrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import type { OAuthClient } from '#tools/auth/oauth-client.ts';
import type { McpHost } from '#tools/mcp/call-server.ts';
import { checkMcpServer, type McpServerRequest } from '#tools/mcp/check-server.ts';
import { listMcpTools } from '#tools/mcp/mcp-client.ts';
import { McpFailure } from '#tools/mcp/mcp-failure.ts';
import { refreshMcpServer } from '#tools/mcp/mcp-tools.ts';
import { headerSecret, holderOf, splitHeader } from '#tools/mcp/server-headers.ts';
import { type ServerTokens, sealedClient, tokenName } from '#tools/mcp/server-tokens.ts';
import { clientName } from '#tools/secrets/secret-name.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Vault } from '#tools/secrets/vault.ts';

export type McpAdmin = ReturnType<typeof createMcpAdmin>;

/** Whose server it is: a user's own, or everyone's, which only operators change. */
export type McpHolder = Owner | 'everyone';

/** `hidden`: everyone's server of the same name takes precedence. */
export type ListedMcpServer = McpServer & {
  readonly source: 'me' | 'everyone';
  readonly hidden: boolean;
  readonly signIn: McpSignInState;
};

/** Whether the caller must sign in to the server, has done so, or need not. */
export type McpSignInState = 'none' | 'needed' | 'done';

const MAX_SERVERS = 20;

/** Each addition and refresh sends requests to an address that the caller chose. */
const RATE: RateLimit = { limit: 20, windowSeconds: 60 };

/** Counts a request to a server that the caller has chosen. */
export async function limitRequests(
  actor: Principal,
  takeUse: (key: string, limit: RateLimit) => Promise<RateUse>,
): Promise<void> {
  const { isAllowed, retryInSeconds } = await takeUse(`mcp-admin:${actor.userId}`, RATE);
  if (!isAllowed)
    throw new RateLimited(retryInSeconds, `Too many requests to MCP servers. Retry in ${retryInSeconds} s.`);
}

/** Manages MCP servers: users add their own, operators also add servers for everyone. */
export function createMcpAdmin(parts: {
  readonly db: Database;
  readonly secrets: Pick<Secrets, 'inVault'>;
  readonly network: Pick<McpHost, 'egress' | 'version' | 'headers' | 'local'>;
  readonly tokens: ServerTokens;
  readonly signIn: Pick<BrowserSignIn, 'begin' | 'finish'>;
  /** Called after each change. */
  readonly onChange?: () => void;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
}) {
  const { db, secrets, tokens, onChange: changed = () => {} } = parts;
  const network = { ...parts.network, tokens };
  const list = (owner: Owner) => withOwner(db, owner, (trx) => listMcpServers(trx, owner));

  const limit = (actor: Principal) => limitRequests(actor, parts.takeUse);

  async function signInState(server: McpServer, who: Owner): Promise<McpSignInState> {
    if (server.oauth === null) return 'none';
    return (await tokens.needsSignIn(server, who)) ? 'needed' : 'done';
  }

  /** Lists the tools after a sign-in, which may be the first list. */
  async function listSignedIn(server: McpServer, asker: Owner): Promise<string | undefined> {
    const problem = await refreshMcpServer(db, server, network, { asker });
    changed();
    return problem;
  }

  async function getOwned(actor: Principal, name: string, holder: McpHolder): Promise<McpServer> {
    const owner = ownerFor(actor, holder);
    const found = await withOwner(db, owner, (trx) => findMcpServer(trx, owner, name));
    if (!found) throw noServer(name);
    return found;
  }

  /** The tools of a new server, or where to sign in first. */
  async function connect(request: McpServerRequest, headers: Record<string, string>, keys: readonly string[]) {
    const { name, privateNetwork, client, command } = request;
    const url = command ? `stdio:${command.join(' ')}` : request.url;
    const program = command && { key: `new-${name}`, command };
    try {
      const listing = await listMcpTools(network, { name, url, privateNetwork, headers, program }, keys);
      if (client)
        throw new InvalidRequest('invalid_request', 'client_id', 'The server asks for no sign-in. Leave it out.');
      return { ...listing, oauth: null };
    } catch (error) {
      if (!(error instanceof McpFailure) || error.reason !== 'sign-in' || !error.challenge) throw error;
      const oauth = await tokens.discover({ url, privateNetwork }, error.challenge);
      return { ...NOT_LISTED, oauth: { ...oauth, clientId: client?.id ?? null } };
    } finally {
      if (program) await network.local?.end(program.key);
    }
  }

  return {
    /** The caller's servers and everyone's. */
    async list(principal: Principal): Promise<ListedMcpServer[]> {
      const shared = await list(EVERYONE);
      const own = await list(principal);
      const isShared = (name: string) => shared.some((each) => each.name === name);
      const found = [
        ...shared.map((server) => ({ ...server, source: 'everyone' as const, hidden: false })),
        ...own.map((server) => ({ ...server, source: 'me' as const, hidden: isShared(server.name) })),
      ];
      const listed = await Promise.all(
        found.map(async (server) => ({ ...server, signIn: await signInState(server, principal) })),
      );
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
    signInState,
    listSignedIn,

    /**
     * Starts a sign-in to a server, of the caller or, as an operator, for everyone who has none. Returns the address for
     * the browser. The state of the sign-in names the server and the holder, and `finishSignIn` takes it.
     */
    async beginSignIn(actor: Principal, name: string, holder: McpHolder, redirectUri: string): Promise<string> {
      const whose = signInHolder(actor, holder);
      const server = await this.get(actor, name);
      await limit(actor);
      const label = `mcp:${server.id}:${holder === 'everyone' ? 'everyone' : 'me'}`;
      return orExplain(async () => parts.signIn.begin(whose, tokens.target(server, label), redirectUri), null);
    },

    /** Takes what the provider sent back, and lists the tools. Unknown and foreign states look alike. */
    async finishSignIn(actor: Principal, answer: AuthorizationAnswer & { readonly state: string }): Promise<McpServer> {
      const [, id, holder] = /^mcp:([\w-]{1,64}):(me|everyone)\./.exec(answer.state) ?? [];
      const whose = signInHolder(actor, holder === 'everyone' ? 'everyone' : actor);
      const server = (await this.list(actor)).find((each) => each.id === id);
      if (!server)
        throw new InvalidRequest('invalid_request', 'state', 'This sign-in is over, or was started elsewhere.');
      await orExplain(async () => parts.signIn.finish(whose, tokens.target(server, ''), answer), null);
      await listSignedIn(server, actor);
      return server;
    },

    /** Connects to the server, lists its tools, and stores both. The tools count as reviewed by the caller. */
    async add(actor: Principal, request: McpServerRequest, holder: McpHolder): Promise<McpServer> {
      const owner = ownerFor(actor, holder);
      const { name, privateNetwork, trustAnnotations, command = null } = request;
      const url = command ? `stdio:${command.join(' ')}` : request.url;
      checkMcpServer(request, isOperator(actor));
      await limit(actor);
      const existing = await list(owner);
      const shared = owner === EVERYONE ? existing : await list(EVERYONE);
      if ([...existing, ...shared].some((each) => each.name === name)) throw taken(name);
      if (existing.length >= MAX_SERVERS)
        throw new InvalidRequest('invalid_request', null, `There can be ${MAX_SERVERS} servers. Remove one first.`);

      const split = Object.entries(request.headers).map(([header, value]) =>
        command ? { header: { name: header, prefix: '' }, secret: value } : splitHeader(header.toLowerCase(), value),
      );
      const headers = Object.fromEntries(split.map(({ header, secret }) => [header.name, header.prefix + secret]));
      const keys = split.map(({ secret }) => secret);
      const { oauth, ...listing } = await orExplain(() => connect(request, headers, keys), 'url');

      await secrets.inVault(holderOf(owner.userId), async (vault, trx) => {
        if (split.length > 0 || request.client) await vault.claimKey();
        const kept = split.map(({ header }): McpHeader => header);
        const server = { name, url, privateNetwork, trustAnnotations, headers: kept, command, oauth, ...listing };
        const detail = {
          for: holder === 'everyone' ? 'everyone' : owner.userId,
          origin: command ? 'stdio' : new URL(url).origin,
        };
        const entry = {
          actor: actor.userId,
          action: 'mcp.add',
          subject: name,
          detail: { ...detail, privateNetwork },
        };
        const inserted = await audited(
          trx,
          (writing) => insertMcpServer(writing, owner, server),
          (done) => (done ? entry : 'no right changed'),
        );
        if (inserted === undefined) throw taken(name);
        if (oauth && request.client) await putClient(vault, inserted, oauth.issuer, request.client);
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
      await refreshMcpServer(db, server, network, { asker: actor });
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
        await network.local?.end(removed.id);
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

/** Of a server that no one has signed in to. The sign-in lists the tools. */
const NOT_LISTED = {
  discovery: { version: '', discover: null },
  offers: { resources: false, prompts: [] },
  tools: [],
  leftOut: [],
  refreshInMs: 60 * 60_000,
} as const;

/** A client of ours at the authorization server. It stays with the server's owner, and grants nothing by itself. */
async function putClient(vault: Vault, serverId: string, issuer: string, client: OAuthClient): Promise<void> {
  const name = clientName(tokenName(serverId));
  await vault.change(
    (writer) => writer.put(name, sealedClient(issuer, client)),
    () => 'no right changed',
  );
}

/** A person signs in for themselves. An operator can also do so for everyone. */
function signInHolder(actor: Principal, holder: McpHolder): McpHolder {
  if (holder === 'everyone' || holder.userId !== actor.userId) requireOperator(actor);
  return holder;
}

/** Only operators change the servers of others. */
function ownerFor(actor: Principal, holder: McpHolder): Owner {
  const owner = holder === 'everyone' ? EVERYONE : holder;
  if (owner.userId !== actor.userId) requireOperator(actor);
  return owner;
}

export const noServer = (name: string) => new NotFound(`There is no MCP server "${name.slice(0, 64)}" here.`);

const taken = (name: string) =>
  new Conflict('already_exists', `There is an MCP server "${name}" already. Remove it, or choose another name.`);

/** Failures of a server are mistakes of the request that named it. */
export async function orExplain<T>(act: () => Promise<T>, param: string | null): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const expected = [McpFailure, AuthFailure, EgressFailed, EgressRefused];
    if (error instanceof Error && expected.some((kind) => error instanceof kind))
      throw new InvalidRequest('invalid_request', param, error.message);
    throw error;
  }
}
