import { createHash, randomBytes } from 'node:crypto';
import type { OAuthSettings } from './tool-auth.ts';

export const newSecretText = () => randomBytes(32).toString('base64url');

type Request = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
};

/** The URL where a browser requests a code, with PKCE. Parameters of the author's URL stay, such as `access_type=offline`. */
export function authorizationUrl(oauth: OAuthSettings, { clientId, redirectUri, state, verifier }: Request): string {
  const url = new URL(oauth.authorizationUrl);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    ...(oauth.scopes.length > 0 && { scope: oauth.scopes.join(' ') }),
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
