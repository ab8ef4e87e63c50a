import { z } from 'zod';
import { AuthFailure } from './auth-failure.ts';
import type { Reach } from './authorization-server.ts';
import type { Discovered } from './discover-oauth.ts';
import type { OAuthClient } from './oauth-client.ts';
import { parseJson, type Send } from './token-endpoint.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 64 * 1024;

/** Registers this installation with an authorization server that has never heard of it (RFC 7591). */
export async function registerClient(
  { send, reach }: { readonly send: Send; readonly reach: Reach },
  { registrationUrl, issuer, scopes }: Pick<Discovered, 'registrationUrl' | 'issuer' | 'scopes'>,
  redirectUri: string,
): Promise<OAuthClient> {
  const host = new URL(issuer).host;
  if (registrationUrl === undefined)
    throw new AuthFailure(
      `${host} does not register clients by itself. Register one there with the address ${redirectUri}, and add the server with its client id.`,
    );
  const { status, body } = await send({
    method: 'POST',
    url: registrationUrl,
    ...reach,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Reborn',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
  });
  const { data } = registration.safeParse(parseJson(body));
  if (status >= 300 || !data) throw new AuthFailure(`${host} answered ${status} and registered no client.`);
  return { id: data.client_id, ...(data.client_secret !== undefined && { secret: data.client_secret }) };
}

const registration = z.object({
  client_id: z.string().min(1).max(2000),
  client_secret: z.string().min(1).max(2000).optional(),
});
