import type { SecretHolder } from '../secrets/holder.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { AuthFailure } from './auth-failure.ts';
import type { SignInTarget } from './browser-sign-in.ts';
import { getOAuthClient } from './oauth-client.ts';
import type { Environment, ToolAuth } from './tool-auth.ts';

type Parts = { readonly secrets: Pick<Secrets, 'find'>; readonly environment: Environment };

/** The sign-in that a tool's capabilities file describes. */
export function toolSignIn(
  parts: Parts,
  { name, auth }: { readonly name: string; readonly auth: ToolAuth | undefined },
  holder: SecretHolder,
): SignInTarget {
  if (!auth?.oauth) throw new AuthFailure(`The tool "${name}" has no OAuth sign-in.`);
  const { oauth, secretName } = auth;
  const { authorizationUrl, tokenUrl, scopes } = oauth;
  return {
    label: name,
    secretName,
    find: async () => ({ authorizationUrl, tokenUrl, scopes, client: await getOAuthClient(parts, oauth, holder) }),
    accepts: (startedWith) => startedWith === tokenUrl,
  };
}
