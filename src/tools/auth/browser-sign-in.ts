import { z } from 'zod';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import { signInName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { AuthFailure } from './auth-failure.ts';
import { authorizationUrl, newSecretText } from './authorization-request.ts';
import { getOAuthClient } from './oauth-client.ts';
import { storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send } from './token-endpoint.ts';
import type { Environment, OAuthSettings, ToolAuth } from './tool-auth.ts';

type Parts = { readonly secrets: Secrets; readonly environment: Environment; readonly send: Send };
type Tool = { readonly name: string; readonly auth: ToolAuth | undefined };

export type BrowserSignIn = ReturnType<typeof createBrowserSignIn>;

const PATIENCE_MS = 15 * 60_000;

/**
 * Signs in to what a tool uses, by way of the browser app. What is needed at the end waits among the person's secrets,
 * so any replica can finish what another started, and no one else can.
 */
export function createBrowserSignIn(parts: Parts) {
  return {
    /** Where the person goes. The state names the tool, since all of them come back to one address. */
    async begin(holder: SecretHolder, tool: Tool, redirectUri: string): Promise<string> {
      const { oauth, secretName } = getOAuth(tool);
      const client = await getOAuthClient(parts, oauth, holder);
      const pending = { state: `${tool.name}.${newSecretText()}`, verifier: newSecretText(), redirectUri };
      const until = new Date(Date.now() + PATIENCE_MS);
      await parts.secrets.inVault(holder, async (vault) => {
        await vault.claimKey();
        const value = JSON.stringify({ ...pending, tokenUrl: oauth.tokenUrl });
        await vault.change((writer) => writer.put(signInName(secretName), value, until), pendingOnly);
      });
      return authorizationUrl(oauth, { ...pending, clientId: client.id });
    },

    async finish(holder: SecretHolder, tool: Tool, { state, code }: { state: string; code: string }): Promise<void> {
      const { oauth, secretName } = getOAuth(tool);
      const { verifier, redirectUri } = await takePending(holder, secretName, oauth, state);
      const client = await getOAuthClient(parts, oauth, holder);
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      const tokens = await requestTokens(parts.send, oauth.tokenUrl, client, grant);
      await parts.secrets.inVault(holder, async (vault) => {
        await vault.claimKey();
        const change = { action: 'secret.put', name: secretName } as const;
        await storeTokens(vault, change, { tokens, tokenUrl: oauth.tokenUrl, clientId: client.id });
      });
    },
  };

  /** It is gone once it was asked for rightly, so a code is tried once. */
  function takePending(holder: SecretHolder, secretName: string, oauth: OAuthSettings, state: string) {
    return parts.secrets.inVault(holder, async (vault) => {
      await vault.claimKey();
      const found = await vault.lock(signInName(secretName));
      const isDue = found?.expiresAt && found.expiresAt.getTime() > Date.now();
      const pending = isDue ? pendingSchema.parse(JSON.parse(found.reveal())) : undefined;
      if (!pending || pending.tokenUrl !== oauth.tokenUrl || !equalsSecret(state, hashSecret(pending.state)))
        throw new AuthFailure('This sign-in is over, or was started elsewhere. Start it again.');
      await vault.change((writer) => writer.remove(signInName(secretName)), pendingOnly);
      return pending;
    });
  }
}

/** A started sign-in grants nothing yet, so it is not audited. */
const pendingOnly = () => 'no right changed' as const;

const pendingSchema = z.object({
  state: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  tokenUrl: z.string(),
});

function getOAuth({ name, auth }: Tool): { oauth: OAuthSettings; secretName: string } {
  if (!auth?.oauth) throw new AuthFailure(`The tool "${name}" has no OAuth sign-in.`);
  return { oauth: auth.oauth, secretName: auth.secretName };
}
