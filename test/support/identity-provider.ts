import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomPKCECodeVerifier,
} from 'openid-client';
import { openBrowser } from './browser.ts';

export const CLIENT_ID = 'reborn';
const CLIENT_SECRET = 'a-secret-between-us';
const SOMEWHERE = 'http://127.0.0.1:1/somewhere';
/** A native client may come back to any port of loopback. */
const REDIRECT_URIS = ['http://127.0.0.1/somewhere', 'http://127.0.0.1/login/oidc/callback'];

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;
type Person = { sub: string; name?: string; email?: string; email_verified?: boolean };
type Options = { port?: number; key?: JWK; people: readonly Person[]; conformIdTokenClaims?: boolean };

/** The header by which a browser says who sits in front of it, so that many people can sign in at once. */
export const PERSON_HEADER = 'x-person';

/** A real OpenID provider on loopback. It signs in the user of the login hint, or the current person, and gives every consent. */
export async function startIdentityProvider({ port = 0, people, ...options }: Options) {
  const key = options.key ?? (await newKey());
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configure(people, options.conformIdTokenClaims ?? false, key));
  const answer = provider.callback();
  let present = people[0]?.sub ?? '';
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/')) void agree(provider, request, response, present);
    else void answer(request, response);
  });

  return {
    issuer,
    port: (server.address() as AddressInfo).port,
    key,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET },
    /** The person who signs in without a login hint. */
    seat: (sub: string) => {
      present = sub;
    },
    /** An ID token as this provider issues it for a person. */
    idToken: (sub: string) => obtainIdToken(issuer, sub),
    /** A token with these claims, signed by its own key. */
    sign: (claims: JWTPayload, header: object = {}) => sign(key, { iss: issuer, aud: CLIENT_ID, ...claims }, header),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), use: 'sig', alg: 'RS256' };
}

export async function sign(key: JWK, claims: JWTPayload, header: object = {}): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', ...(key.kid && { kid: key.kid }), ...header })
    .sign(await importJWK(key, 'RS256'));
}

function configure(people: readonly Person[], conformIdTokenClaims: boolean, key: JWK) {
  return {
    clients: [
      { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: REDIRECT_URIS, application_type: 'native' },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['of the tests'] },
    conformIdTokenClaims,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => people.find(({ sub }) => sub === accountId),
    }),
  };
}

async function agree(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  present: string,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const accountId = params.login_hint ?? String(request.headers[PERSON_HEADER] ?? present);
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { login: { accountId }, consent });
}

async function obtainIdToken(issuer: string, sub: string): Promise<string> {
  // oxlint-disable-next-line typescript/no-deprecated -- marked so as a warning; this is loopback
  const insecure = { execute: [allowInsecureRequests] };
  const client = await discovery(new URL(issuer), CLIENT_ID, CLIENT_SECRET, undefined, insecure);
  const verifier = randomPKCECodeVerifier();
  const url = buildAuthorizationUrl(client, {
    redirect_uri: SOMEWHERE,
    scope: 'openid email profile',
    login_hint: sub,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const { url: back } = await openBrowser().follow(url, SOMEWHERE);
  const tokens = await authorizationCodeGrant(client, back, { pkceCodeVerifier: verifier });
  return tokens.id_token ?? '';
}
