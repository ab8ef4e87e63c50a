import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The used part of oidc-provider, which has no types. */
type Provider = {
  callback(): RequestListener;
  on(event: string, listener: (...details: never[]) => void): void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
};
type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> };
type GrantContext = {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    provider: { Grant: new (about: object) => Grant };
  };
};

type Options = { readonly client: object; readonly accessTokenSeconds?: number };

/** A real authorization server on loopback. Every user is ann, and she consents unless `denies` is set. */
export async function startOAuthProvider({ client, accessTokenSeconds = 3600 }: Options) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = await createProvider(issuer, client, accessTokenSeconds);

  const state = { denies: false };
  const handle = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    const denial = { error: 'access_denied', error_description: 'ann said <no>' };
    const result = state.denies ? denial : { login: { accountId: 'ann' }, consent: {} };
    void provider.interactionFinished(request, response, result);
  });

  return {
    issuer,
    state,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function createProvider(issuer: string, client: object, accessTokenSeconds: number): Promise<Provider> {
  const name: string = 'oidc-provider'; // not a literal, because the package has no types
  const loaded = (await import(name)) as { default: new (issuer: string, configuration: object) => Provider };
  return new loaded.default(issuer, {
    clients: [client],
    scopes: ['weather'],
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['only for tests'] },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: accessTokenSeconds, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 3600 },
    async loadExistingGrant({ oidc }: GrantContext) {
      const { clientId } = oidc.client;
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid weather');
      await grant.save();
      return grant;
    },
  });
}

/** Follows redirects as a browser does, with cookies, and returns the last address. */
export async function browse(start: string): Promise<{ url: string; status: number; text: string }> {
  const cookies = new Map<string, string>();
  for (let url = start, hops = 0; hops < 20; hops++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(key, value);
    }
    const location = response.headers.get('location');
    if (!location) return { url, status: response.status, text: await response.text() };
    url = new URL(location, url).href;
  }
  throw new Error(`${start} leads nowhere.`);
}
