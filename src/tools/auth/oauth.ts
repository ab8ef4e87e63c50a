import type { UserId } from '#domain/principal.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import { checkSecretName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { authorizationUrl, newSecretText } from './authorization-request.ts';
import { type AuthorizationAnswer, checkIssuer } from './authorization-server.ts';
import { isDiscovered, type SignInTarget, sourceOf } from './browser-sign-in.ts';
import { listenForCallback } from './callback-listener.ts';
import { storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send } from './token-endpoint.ts';

export type SignIn = {
  /** Where the person goes with a browser on this machine. */
  readonly url: string;
  /** Resolves when the tokens are stored. */
  readonly done: Promise<void>;
  cancel(): void;
};

type Parts = { readonly secrets: Pick<Secrets, 'inVault'>; readonly send: Send };
type Options = {
  readonly target: Pick<SignInTarget, 'secretName' | 'find'>;
  /** A free port when it is not given. */
  readonly redirectPort?: number | undefined;
  readonly holder: SecretHolder;
  /** Who signs in. */
  readonly actor: UserId;
  readonly signal: AbortSignal;
};

/** Begins a sign-in: an authorization code with PKCE, which comes back to a listener on loopback. */
export async function beginSignIn(parts: Parts, options: Options): Promise<SignIn> {
  const { target, holder, actor, signal, redirectPort: port } = options;
  const { secretName } = target;
  checkSecretName(secretName);
  await parts.secrets.inVault(holder, (vault) => vault.claimKey()); // who can't store the tokens need not fetch any
  const [state, verifier] = [newSecretText(), newSecretText()];
  const server = Promise.withResolvers<Awaited<ReturnType<SignInTarget['find']>>>();

  const complete = async (answer: AuthorizationAnswer, redirectUri: string): Promise<void> => {
    const found = await server.promise;
    checkIssuer(found, answer);
    const grant = {
      grant_type: 'authorization_code',
      code: answer.code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const tokens = await requestTokens(parts.send, found, grant);
    await parts.secrets.inVault(holder, async (vault) => {
      await vault.claimKey();
      const change = { action: 'secret.put', name: secretName, actor } as const;
      await storeTokens(vault, change, { tokens, source: sourceOf(found), isDiscovered: isDiscovered(found) });
    });
  };
  const listener = await listenForCallback({ port, state, signal, complete });
  try {
    server.resolve(await target.find(listener.redirectUri));
  } catch (error) {
    listener.close();
    throw error;
  }
  const url = authorizationUrl(await server.promise, { redirectUri: listener.redirectUri, state, verifier });
  return { url, done: listener.outcome, cancel: () => listener.close() };
}
