import { Conflict, InvalidRequest } from '#domain/errors.ts';
import { isOperator, type Principal } from '#domain/principal.ts';
import type { McpHeader } from '#domain/tool/mcp-server.ts';
import { type AuditEntry, audited } from '#store/audit.ts';
import type { Database, Owner } from '#store/connection.ts';
import { EVERYONE, insertMcpServer } from '#store/tools/mcp-servers.ts';
import type { OAuthClient } from '#tools/auth/oauth-client.ts';
import { checkMcpServer, type McpServerRequest } from '#tools/mcp/check-server.ts';
import { listMcpTools } from '#tools/mcp/mcp-client.ts';
import { McpFailure } from '#tools/mcp/mcp-failure.ts';
import { headerSecret, holderOf, splitHeader } from '#tools/mcp/server-headers.ts';
import { sealedClient, tokenName } from '#tools/mcp/server-tokens.ts';
import { clientName } from '#tools/secrets/secret-name.ts';
import type { Vault } from '#tools/secrets/vault.ts';
import { listServersOf } from './list-servers.ts';
import { limitRequests, type McpAdminParts, type McpHolder, orExplain, ownerFor } from './mcp-access.ts';

const MAX_SERVERS = 20;

/** A header of a server, or a variable of a program. Only the secret part of its value is encrypted. */
type SplitHeader = { readonly header: McpHeader; readonly secret: string };

type Connected = Awaited<ReturnType<typeof connect>>;

/** Connects to the server, lists its tools, and stores both. */
export async function addServer(
  parts: McpAdminParts,
  actor: Principal,
  request: McpServerRequest,
  holder: McpHolder,
): Promise<void> {
  const owner = ownerFor(actor, holder);
  checkMcpServer(request, isOperator(actor));
  await limitRequests(parts, actor);
  await checkRoom(parts.db, owner, request.name);
  const headers = splitHeaders(request);
  const connected = await orExplain(() => connect(parts.network, request, headers), 'url');
  await parts.secrets.inVault(holderOf(owner.userId), async (vault, trx) => {
    if (headers.length > 0 || request.client) await vault.claimKey();
    const server = toServer(request, headers, connected);
    const inserted = await audited(
      trx,
      (writing) => insertMcpServer(writing, owner, server),
      (done) => (done ? entryOf(actor, holder, request) : 'no right changed'),
    );
    if (inserted === undefined) throw taken(request.name);
    if (connected.oauth && request.client) await putClient(vault, inserted, connected.oauth.issuer, request.client);
    for (const { header, secret } of headers) {
      const name = headerSecret(request.name, header.name);
      await vault.change((writer) => writer.put(name, secret), { action: 'secret.put', name, actor: actor.userId });
    }
  });
}

async function checkRoom(db: Database, owner: Owner, name: string): Promise<void> {
  const existing = await listServersOf(db, owner);
  const shared = owner === EVERYONE ? existing : await listServersOf(db, EVERYONE);
  if ([...existing, ...shared].some((each) => each.name === name)) throw taken(name);
  if (existing.length >= MAX_SERVERS)
    throw new InvalidRequest('invalid_request', null, `There can be ${MAX_SERVERS} servers. Remove one first.`);
}

const taken = (name: string) =>
  new Conflict('already_exists', `There is an MCP server "${name}" already. Remove it, or choose another name.`);

const splitHeaders = ({ headers, command }: McpServerRequest): SplitHeader[] =>
  Object.entries(headers).map(([name, value]) =>
    command ? { header: { name, prefix: '' }, secret: value } : splitHeader(name.toLowerCase(), value),
  );

const urlOf = ({ url, command }: McpServerRequest) => (command ? `stdio:${command.join(' ')}` : url);

/** The tools of a new server, or where to sign in first. */
async function connect(network: McpAdminParts['network'], request: McpServerRequest, split: readonly SplitHeader[]) {
  const { name, privateNetwork, client, command } = request;
  const url = urlOf(request);
  const program = command && { key: `new-${name}`, command };
  const headers = Object.fromEntries(split.map(({ header, secret }) => [header.name, header.prefix + secret]));
  const keys = split.map(({ secret }) => secret);
  try {
    const listing = await listMcpTools(network, { name, url, privateNetwork, headers, program }, keys);
    if (client)
      throw new InvalidRequest('invalid_request', 'client_id', 'The server asks for no sign-in. Leave it out.');
    return { ...listing, oauth: null };
  } catch (error) {
    if (!(error instanceof McpFailure) || error.reason !== 'sign-in' || !error.challenge) throw error;
    const oauth = await network.tokens.discover({ url, privateNetwork }, error.challenge);
    return { ...NOT_LISTED, oauth: { ...oauth, clientId: client?.id ?? null } };
  } finally {
    if (program) await network.local?.end(program.key);
  }
}

/** Of a server that no one has signed in to. The sign-in lists the tools. */
const NOT_LISTED = {
  discovery: { version: '', discover: null },
  offers: { resources: false, prompts: [] },
  tools: [],
  leftOut: [],
  refreshInMs: 60 * 60_000,
} as const;

function toServer(request: McpServerRequest, headers: readonly SplitHeader[], connected: Connected) {
  const { name, privateNetwork, trustAnnotations, command = null } = request;
  const kept = headers.map(({ header }) => header);
  return { name, url: urlOf(request), privateNetwork, trustAnnotations, headers: kept, command, ...connected };
}

function entryOf(actor: Principal, holder: McpHolder, request: McpServerRequest): AuditEntry {
  const origin = request.command ? 'stdio' : new URL(request.url).origin;
  const whose = holder === 'everyone' ? holder : holder.userId;
  const detail = { for: whose, origin, privateNetwork: request.privateNetwork };
  return { actor: actor.userId, action: 'mcp.add', subject: request.name, detail };
}

/** A client of ours at the authorization server. It stays with the server's owner, and grants nothing by itself. */
async function putClient(vault: Vault, serverId: string, issuer: string, client: OAuthClient): Promise<void> {
  const name = clientName(tokenName(serverId));
  await vault.change(
    (writer) => writer.put(name, sealedClient(issuer, client)),
    () => 'no right changed',
  );
}
