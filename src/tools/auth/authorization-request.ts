import { createHash, randomBytes } from 'node:crypto';
import type { AuthorizationServer } from './authorization-server.ts';

export const newSecretText = () => randomBytes(32).toString('base64url');

type Request = {
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
};

/** The URL where a browser requests a code, with PKCE. Parameters of the author's URL stay, such as `access_type=offline`. */
export function authorizationUrl(server: AuthorizationServer, { redirectUri, state, verifier }: Request): string {
  const url = new URL(server.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: server.client.id,
    redirect_uri: redirectUri,
    ...(server.scopes.length > 0 && { scope: server.scopes.join(' ') }),
    state,
    ...(server.resource !== undefined && { resource: server.resource }),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
