import { z } from 'zod';
import type { McpOAuth, McpServer } from '#domain/tool/mcp-server.ts';
import type { Owner } from '#store/connection.ts';
import { EVERYONE } from '#store/tools/mcp-servers.ts';
import { AuthFailure } from '../auth/auth-failure.ts';
import type { AuthorizationServer, Reach } from '../auth/authorization-server.ts';
import type { SignInTarget } from '../auth/browser-sign-in.ts';
import { type Challenge, type Discovered, discoverOAuth } from '../auth/discover-oauth.ts';
import type { OAuthClient } from '../auth/oauth-client.ts';
import type { Refresh } from '../auth/refresh.ts';
import { registerClient } from '../auth/register-client.ts';
import { findGrant } from '../auth/stored-tokens.ts';
import type { Send } from '../auth/token-endpoint.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import { isDue, unlessExpired } from '../secrets/secret.ts';
import { clientName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { McpTokens } from './mcp-fetch.ts';
import { holderOf } from './server-headers.ts';

type Parts = { readonly secrets: Pick<Secrets, 'inVault'>; readonly send: Send; readonly refresh: Refresh };
type SignedInServer = Pick<McpServer, 'id' | 'userId' | 'url' | 'privateNetwork' | 'oauth'>;

/** How long a client that was registered automatically is used for further sign-ins. */
const REUSE_CLIENT_MS = 24 * 60 * 60_000;

/**
 * The tokens that users have for servers. Everyone signs in for themselves; on a server for everyone, an operator can
 * also sign in for those who have not. A token is stored under the ID of its server, so no other server gets it.
 */
export type ServerTokens = {
  /** Of a user's calls, or for listing the tools; undefined when the server has no sign-in. */
  of(server: SignedInServer, who: Owner, purpose?: 'call' | 'list'): McpTokens | undefined;
  needsSignIn(server: SignedInServer, who: Owner): Promise<boolean>;
  /** Asks where users sign in to a server that wants a token. */
  discover(server: Pick<SignedInServer, 'url' | 'privateNetwork'>, challenge: Challenge): Promise<McpOAuth>;
  /** What a sign-in needs. The metadata is read again, but another authorization server is refused. */
  target(server: SignedInServer, label: string): SignInTarget;
};

export function createServerTokens(parts: Parts): ServerTokens {
  const { secrets, send, refresh } = parts;
  return {
    of(server, who, purpose = 'call') {
      if (server.oauth === null) return undefined;
      const own = holdersOf(server, who);
      const holders = purpose === 'call' ? own : own.toReversed();
      return {
        async current() {
          const found = await findToken(secrets, server, holders);
          if (!found) return undefined;
          const { name, holder, token, lifetimeMs } = found;
          const valid = token && !isDue(token, lifetimeMs) ? token : await refresh({ holder, name });
          return valid?.reveal();
        },
        async renew(refused) {
          const found = await findToken(secrets, server, holders);
          return found && (await refresh({ holder: found.holder, name: found.name, refused }))?.reveal();
        },
      };
    },
    needsSignIn: async (server, who) =>
      server.oauth !== null && (await findToken(secrets, server, holdersOf(server, who))) === undefined,
    async discover(server, challenge) {
      const { metadataUrl = null, scopes } = challenge;
      const { issuer } = await discoverOAuth({ send, reach: reachOf(server) }, server.url, challenge);
      return { issuer, metadataUrl, scopes, clientId: null };
    },
    target(server, label) {
      const { oauth } = server;
      if (oauth === null) throw new AuthFailure('This server has not asked for a sign-in.');
      return {
        label,
        secretName: tokenName(server.id),
        find: (redirectUri) => findAuthorizationServer(parts, server, oauth, redirectUri),
        accepts: () => true,
      };
    },
  };
}

/** The first holder with a token, or with the means to get one. */
async function findToken(secrets: Parts['secrets'], server: SignedInServer, holders: readonly SecretHolder[]) {
  const name = tokenName(server.id);
  for (const holder of holders) {
    const { token, grant } = await secrets.inVault(holder, async (vault) => ({
      token: await vault.find(name),
      grant: await findGrant(vault, name),
    }));
    if (grant || unlessExpired(token)) return { name, holder, token, lifetimeMs: grant?.lifetimeMs };
  }
  return undefined;
}

async function findAuthorizationServer(
  parts: Parts,
  server: SignedInServer,
  oauth: McpOAuth,
  redirectUri: string,
): Promise<AuthorizationServer> {
  const reach = reachOf(server);
  const challenge = { metadataUrl: oauth.metadataUrl ?? undefined, scopes: oauth.scopes };
  const found = await discoverOAuth({ send: parts.send, reach }, server.url, challenge);
  if (found.issuer !== oauth.issuer)
    throw new AuthFailure(
      `The server names another authorization server than before (${found.issuer.slice(0, 200)}). Remove it and add it again if you expect this.`,
    );
  const { authorizationUrl, tokenUrl, resource, scopes, issuer, isIssuerNamed: isNamed } = found;
  const client = await findClient(parts, server, oauth, found, redirectUri);
  return { authorizationUrl, tokenUrl, resource, scopes, reach, client, issuer: { url: issuer, isNamed } };
}

/** The client of earlier sign-ins that came back to the same address, or a new one. */
async function findClient(
  { secrets, send }: Parts,
  server: SignedInServer,
  oauth: McpOAuth,
  found: Discovered,
  redirectUri: string,
): Promise<OAuthClient> {
  const holder = holderOf(server.userId);
  const name = clientName(tokenName(server.id));
  const stored = await secrets.inVault(holder, (vault) => vault.find(name));
  const known = stored && unlessExpired(stored) && clientSchema.safeParse(JSON.parse(stored.reveal())).data;
  if (oauth.clientId !== null) return known?.client ?? { id: oauth.clientId };
  if (known && known.issuer === found.issuer && known.redirectUri === redirectUri) return known.client;

  const client = await registerClient({ send, reach: reachOf(server) }, found, redirectUri);
  const isLoopback = redirectUri.startsWith('http://127.0.0.1:'); // its port changes each time
  if (isLoopback) return client;
  const value = JSON.stringify({ issuer: found.issuer, redirectUri, client });
  const until = new Date(Date.now() + REUSE_CLIENT_MS);
  await secrets.inVault(holder, async (vault) => {
    await vault.claimKey();
    await vault.change(
      (writer) => writer.put(name, value, until),
      () => 'no right changed',
    );
  });
  return client;
}

/** A user's own token comes first. A server of one user gets the tokens of that user only. */
function holdersOf(server: Pick<McpServer, 'userId'>, who: Owner): readonly SecretHolder[] {
  if (server.userId !== EVERYONE.userId) return [holderOf(server.userId)];
  return who.userId === EVERYONE.userId ? ['everyone'] : [who, 'everyone'];
}

export const tokenName = (serverId: string) => `mcp.${serverId}.token`;

/** How a client that was registered by hand is stored. */
export const sealedClient = (issuer: string, client: OAuthClient) => JSON.stringify({ issuer, client });

const clientSchema = z.object({
  issuer: z.string(),
  redirectUri: z.string().optional(),
  client: z.object({ id: z.string(), secret: z.string().optional() }),
});

/** The operator's allowance is for the origin of the server, which may also be the origin of its authorization server. */
function reachOf({ url, privateNetwork }: Pick<McpServer, 'url' | 'privateNetwork'>): Reach {
  const { origin, port } = new URL(url);
  return {
    ...(port !== '' && { namedPort: Number(port) }),
    ...(privateNetwork && { privateOrigin: origin }),
  };
}
