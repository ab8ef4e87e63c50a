import { z } from 'zod';
import { AuthFailure } from './auth-failure.ts';
import type { Reach } from './authorization-server.ts';
import { parseJson, type Send } from './token-endpoint.ts';

/** How a resource says, with status 401 or 403, that it wants a token (RFC 9728). */
export type Challenge = {
  readonly metadataUrl: string | undefined;
  readonly scopes: readonly string[];
  /** Such as `insufficient_scope`. */
  readonly error: string | undefined;
};

/** Reads `WWW-Authenticate: Bearer …`; undefined when the resource wants something else. */
export function parseChallenge(header: string | null): Challenge | undefined {
  if (header === null || header.length > MAX_HEADER || !/(?:^|,\s*)bearer(?:\s|$)/i.test(header)) return undefined;
  const read = (name: string) => new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,"]+))`, 'i').exec(header);
  const valueOf = (name: string) => read(name)?.[1] ?? read(name)?.[2];
  return {
    metadataUrl: valueOf('resource_metadata'),
    scopes: parseScopes(valueOf('scope') ?? ''),
    error: valueOf('error'),
  };
}

const MAX_HEADER = 4096;
const MAX_SCOPES = 50;

/** The characters that RFC 6749 allows. */
const parseScopes = (text: string): string[] =>
  text
    .split(' ')
    .filter((scope) => /^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/.test(scope))
    .slice(0, MAX_SCOPES);

/** What a resource and its authorization server say about signing in. */
export type Discovered = {
  readonly issuer: string;
  readonly isIssuerNamed: boolean;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly registrationUrl: string | undefined;
  readonly resource: string;
  readonly scopes: readonly string[];
};

type Network = { readonly send: Send; readonly reach: Reach };

/**
 * Finds the authorization server of a resource: by the resource's metadata, or else on the resource's own origin. All
 * addresses come from strangers, so every request goes through egress, and no redirect is followed.
 */
export async function discoverOAuth(
  network: Network,
  resourceUrl: string,
  challenge: Pick<Challenge, 'metadataUrl' | 'scopes'>,
): Promise<Discovered> {
  const resource = await findResource(network, resourceUrl, challenge.metadataUrl);
  const issuer = resource?.authorization_servers?.[0] ?? new URL(resourceUrl).origin;
  const server = await getServer(network, issuer);
  if (!server.code_challenge_methods_supported?.includes('S256'))
    throw new AuthFailure(`The authorization server ${hostOf(issuer)} does not support PKCE with S256.`);
  const wanted =
    challenge.scopes.length > 0 ? challenge.scopes : parseScopes(resource?.scopes_supported?.join(' ') ?? '');
  const offline = server.scopes_supported?.includes('offline_access') ? ['offline_access'] : [];
  return {
    issuer: server.issuer,
    isIssuerNamed: server.authorization_response_iss_parameter_supported ?? false,
    authorizationUrl: checkEndpoint(server.authorization_endpoint, network.reach),
    tokenUrl: checkEndpoint(server.token_endpoint, network.reach),
    registrationUrl: server.registration_endpoint && checkEndpoint(server.registration_endpoint, network.reach),
    resource: resource?.resource ?? resourceUrl,
    scopes: [...new Set([...wanted, ...(wanted.length > 0 ? offline : [])])],
  };
}

const url = z.string().max(2000);
const names = z.array(z.string().max(200)).max(500);

const resourceSchema = z.object({
  resource: url,
  authorization_servers: z.array(url).max(20).optional(),
  scopes_supported: names.optional(),
});

const serverSchema = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  registration_endpoint: url.optional(),
  scopes_supported: names.optional(),
  code_challenge_methods_supported: names.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

async function findResource(network: Network, resourceUrl: string, metadataUrl: string | undefined) {
  const { origin, pathname } = new URL(resourceUrl);
  const path = pathname === '/' ? '' : pathname;
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const places = metadataUrl === undefined ? [wellKnown + path, ...(path ? [wellKnown] : [])] : [metadataUrl];
  const found = await findFirst(network, places, resourceSchema);
  if (found && !covers(found.resource, resourceUrl))
    throw new AuthFailure(`The server says that it is ${found.resource.slice(0, 200)}, which is another address.`);
  return found;
}

/** A token for another resource must not be requested, and one for this resource goes to no other. */
function covers(resource: string, used: string): boolean {
  const [named, actual] = [URL.parse(resource), new URL(used)];
  if (!named || named.origin !== actual.origin || named.search || named.hash) return false;
  const folder = named.pathname.endsWith('/') ? named.pathname : `${named.pathname}/`;
  return `${actual.pathname}/`.startsWith(folder);
}

async function getServer(network: Network, issuer: string) {
  const parsed = URL.parse(issuer);
  if (!parsed || parsed.search || parsed.hash)
    throw new AuthFailure("The server names an authorization server that isn't an address.");
  const path = parsed.pathname.replace(/\/$/, '');
  const places = [
    `${parsed.origin}/.well-known/oauth-authorization-server${path}`,
    `${parsed.origin}/.well-known/openid-configuration${path}`,
    ...(path ? [`${parsed.origin}${path}/.well-known/openid-configuration`] : []),
  ];
  const found = await findFirst(network, places, serverSchema);
  if (!found) throw new AuthFailure(`The authorization server ${hostOf(issuer)} publishes no metadata.`);
  if (found.issuer !== issuer && found.issuer !== `${issuer}/` && `${found.issuer}/` !== issuer)
    throw new AuthFailure(`The authorization server ${hostOf(issuer)} says that it is another one.`);
  return found;
}

/** A browser is sent to one of these, and secrets to the others. */
function checkEndpoint(text: string, { privateOrigin }: Reach): string {
  const parsed = URL.parse(text);
  if (parsed && !parsed.hash && (parsed.protocol === 'https:' || parsed.origin === privateOrigin)) return parsed.href;
  throw new AuthFailure('An address of the authorization server does not start with https://.');
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 128 * 1024;

async function findFirst<T>(network: Network, places: readonly string[], schema: z.ZodType<T>): Promise<T | undefined> {
  for (const place of places) {
    const { status, body } = await network.send({
      method: 'GET',
      url: place,
      ...network.reach,
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
    });
    if (status !== 200) continue;
    const { data } = schema.safeParse(parseJson(body));
    if (!data) throw new AuthFailure(`The sign-in metadata of ${hostOf(place)} can't be used.`);
    return data;
  }
  return undefined;
}

const hostOf = (address: string) => URL.parse(address)?.host ?? 'the server';
