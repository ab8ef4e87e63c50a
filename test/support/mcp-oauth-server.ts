import type { IncomingMessage, ServerResponse } from 'node:http';
import { type McpAnswer, startMcpServer } from './mcp-server.ts';

/** The used part of oidc-provider, which has no types. */
type Provider = {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  on(event: string, listener: (...details: never[]) => void): void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  AccessToken: { find(value: string): Promise<AccessToken | undefined> };
  Grant: { find(id: string): Promise<{ destroy(): Promise<void> } | undefined> };
};
type AccessToken = {
  readonly isValid: boolean;
  readonly aud?: string | string[];
  readonly grantId: string;
  destroy(): Promise<void>;
};
type Grant = {
  addOIDCScope(scope: string): void;
  addResourceScope(at: string, scope: string): void;
  save(): Promise<string>;
};
type GrantContext = {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    provider: { Grant: new (about: object) => Grant };
  };
};

export type McpOAuthServer = Awaited<ReturnType<typeof startMcpOAuthServer>>;
type Options = { readonly answers?: Record<string, McpAnswer>; readonly tokenSeconds?: number };

/**
 * An MCP server whose users sign in with OAuth, and its authorization server, at one address on loopback. Everyone who
 * signs in is ann. Refresh tokens work once: using one again ends the sign-in.
 */
export async function startMcpOAuthServer({ answers = {}, tokenSeconds = 3600 }: Options = {}) {
  /** Each may change while the server runs. */
  const state = {
    /** Replaces the metadata of the resource and of the authorization server. */
    resource: {} as object,
    issuer: {} as object,
    /** Replaces the header of a refusal. */
    challenge: undefined as string | undefined,
    /** The server refuses every token. */
    closed: false,
  };
  const elsewhere: string[] = []; // requests to the path that metadata redirects to
  const counts = { refreshed: 0, reused: 0, refused: 0, registered: 0, signedIn: 0 };
  /** Access tokens that were refused although they had not expired on their way here. */
  const wronglySent: string[] = [];
  const tokens = new Set<string>();
  const hidden = new Set<string>();
  const expiries = new Map<string, number>();
  let origin = '';
  const mcp = await startMcpServer(answers, guard);
  origin = `http://127.0.0.1:${mcp.port}`;
  const provider = await createProvider(origin, tokenSeconds);
  provider.on('refresh_token.consumed', () => counts.refreshed++);
  provider.on('grant.error', () => counts.reused++);
  provider.on('registration_create.success', () => counts.registered++);
  provider.on('authorization_code.consumed', () => counts.signedIn++);
  const handle = provider.callback();

  async function guard(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/mcp') return !(await isAllowed(request, response));
    if (path === '/.well-known/oauth-protected-resource/mcp') {
      const usual = { resource: mcp.url, authorization_servers: [origin], scopes_supported: ['tools'] };
      return json(response, { ...usual, ...state.resource });
    }
    if (path === '/.well-known/oauth-authorization-server')
      return json(response, { ...METADATA(origin), ...state.issuer });
    if (path === '/redirect') {
      response.writeHead(302, { location: `${origin}/elsewhere` }).end();
      return true;
    }
    if (path === '/elsewhere') elsewhere.push(path);
    if (path === '/.well-known/oauth-authorization-server/other')
      return json(response, { ...METADATA(origin), issuer: `${origin}/other` });
    if (path === '/token') keepTokens(response);
    if (path.startsWith('/interaction/'))
      await provider.interactionFinished(request, response, { login: { accountId: 'ann' }, consent: {} });
    else await handle(request, response);
    return true;
  }

  /** Remembers what the token endpoint hands out. */
  function keepTokens(response: ServerResponse): void {
    const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
    response.end = ((body?: unknown) => {
      const { access_token, refresh_token } = JSON.parse(String(body)) as Record<string, string | undefined>;
      for (const token of [access_token, refresh_token]) if (token) hidden.add(token);
      if (access_token) expiries.set(access_token, Date.now() + tokenSeconds * 1000);
      return end(body);
    }) as ServerResponse['end'];
  }

  async function isAllowed(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const [, value = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const token = await provider.AccessToken.find(value);
    if (value !== '') tokens.add(value);
    if (!state.closed && token?.isValid && [token.aud].flat().includes(mcp.url)) return true;
    if (value !== '') counts.refused++;
    if (value !== '' && Date.now() < (expiries.get(value) ?? Infinity) - CLOCK_MS) wronglySent.push(value);
    const usual = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    response.writeHead(401, { 'www-authenticate': state.challenge ?? usual }).end();
    return false;
  }

  return {
    ...mcp,
    origin,
    state,
    counts,
    wronglySent,
    /** Every access token that was shown to the server. */
    tokens,
    /** Every access and refresh token that was handed out. */
    hidden,
    elsewhere,
    /** Gives itself a public name, to which the network of the test must lead. */
    callItself(name: string) {
      state.resource = { resource: `${name}/mcp`, authorization_servers: [name] };
      state.issuer = METADATA(name);
      state.challenge = `Bearer resource_metadata="${name}/.well-known/oauth-protected-resource/mcp"`;
    },
    /** Ends an access token before its time, and with `grant` also the right to renew it. */
    async revoke(value: string, { grant }: { grant: boolean }) {
      const token = await provider.AccessToken.find(value);
      if (grant) await (await provider.Grant.find(token?.grantId ?? ''))?.destroy();
      await token?.destroy();
    },
  };
}

/** The provider counts whole seconds. */
const CLOCK_MS = 1000;

function json(response: ServerResponse, body: object): true {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

const METADATA = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/auth`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/reg`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});

async function createProvider(issuer: string, tokenSeconds: number): Promise<Provider> {
  const name: string = 'oidc-provider'; // not a literal, because the package has no types
  const loaded = (await import(name)) as { default: new (issuer: string, configuration: object) => Provider };
  return new loaded.default(issuer, {
    scopes: ['tools'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'tools',
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: tokenSeconds,
        }),
        useGrantedResource: () => true,
      },
    },
    cookies: { keys: ['only for tests'] },
    clientDefaults: { token_endpoint_auth_method: 'none' },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: tokenSeconds, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 3600 },
    async loadExistingGrant({ oidc }: GrantContext) {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid tools');
      grant.addResourceScope(`${issuer}/mcp`, 'tools');
      await grant.save();
      return grant;
    },
  });
}
