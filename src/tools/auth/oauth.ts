import type { UserId } from '#domain/principal.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import { checkSecretName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { AuthFailure } from './auth-failure.ts';
import { authorizationUrl, newSecretText } from './authorization-request.ts';
import { listenForCallback } from './callback-listener.ts';
import { getOAuthClient } from './oauth-client.ts';
import { storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send } from './token-endpoint.ts';
import type { Environment, ToolAuth } from './tool-auth.ts';

export type SignIn = {
  /** Where the person goes with a browser on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. */
  readonly done: Promise<void>;
  cancel(): void;
};

type Parts = { readonly secrets: Secrets; readonly environment: Environment; readonly send: Send };
type Options = {
  readonly auth: ToolAuth;
  readonly holder: SecretHolder;
  /** Who signs in. */
  readonly actor: UserId;
  readonly signal: AbortSignal;
};

/** Begins a sign-in: an authorization code with PKCE, which comes back to a listener on loopback. */
export async function beginSignIn(parts: Parts, { auth, holder, actor, signal }: Options): Promise<SignIn> {
  const { oauth, secretName } = auth;
  if (!oauth) throw new AuthFailure('This tool has no OAuth sign-in.');
  checkSecretName(secretName);
  const client = await getOAuthClient(parts, oauth, holder);
  await parts.secrets.inVault(holder, (vault) => vault.claimKey()); // who can't store the tokens need not fetch any
  const [state, verifier] = [newSecretText(), newSecretText()];

  const complete = async (code: string, redirectUri: string): Promise<void> => {
    const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const tokens = await requestTokens(parts.send, oauth.tokenUrl, client, grant);
    await parts.secrets.inVault(holder, async (vault) => {
      await vault.claimKey();
      const change = { action: 'secret.put', name: secretName, actor } as const;
      await storeTokens(vault, change, { tokens, tokenUrl: oauth.tokenUrl, clientId: client.id });
    });
  };
  const listener = await listenForCallback({ port: oauth.redirectPort, state, signal, complete });
  const url = authorizationUrl(oauth, { clientId: client.id, redirectUri: listener.redirectUri, state, verifier });
  return { url, done: listener.outcome, cancel: () => listener.close() };
}
