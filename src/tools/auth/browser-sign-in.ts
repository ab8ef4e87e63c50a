import { z } from 'zod';
import type { UserId } from '#domain/principal.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import type { SecretHolder } from '../secrets/holder.ts';
import { signInName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { AuthFailure } from './auth-failure.ts';
import { authorizationUrl, newSecretText } from './authorization-request.ts';
import {
  type AuthorizationAnswer,
  type AuthorizationServer,
  checkIssuer,
  tokenSourceFields,
} from './authorization-server.ts';
import { storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send } from './token-endpoint.ts';

type Parts = { readonly secrets: Pick<Secrets, 'inVault'>; readonly send: Send };

/** What a person signs in to. */
export type SignInTarget = {
  /** Begins the state, since all sign-ins come back to one address. */
  readonly label: string;
  /** Where the access token is stored. */
  readonly secretName: string;
  find(redirectUri: string): Promise<AuthorizationServer>;
  /** Whether a sign-in that was started with this token endpoint may end. */
  accepts(tokenUrl: string): boolean;
};

export type BrowserSignIn = ReturnType<typeof createBrowserSignIn>;

const PATIENCE_MS = 15 * 60_000;

/**
 * Signs in to what a tool uses: the browser comes back to the app, or to a command on its own machine, which hands the answer
 * on. What is needed at the end waits among the person's secrets, so any replica can finish what another started, and no one
 * else can.
 */
export function createBrowserSignIn(parts: Parts) {
  return {
    /** Returns the address where the person goes. */
    async begin(holder: SecretHolder, target: SignInTarget, redirectUri: string): Promise<string> {
      const server = await target.find(redirectUri);
      const pending = { state: `${target.label}.${newSecretText()}`, verifier: newSecretText(), redirectUri };
      const until = new Date(Date.now() + PATIENCE_MS);
      await parts.secrets.inVault(holder, async (vault) => {
        await vault.claimKey();
        const value = JSON.stringify({ ...pending, server });
        await vault.change((writer) => writer.put(signInName(target.secretName), value, until), pendingOnly);
      });
      return authorizationUrl(server, pending);
    },

    async finish(
      holder: SecretHolder,
      target: Omit<SignInTarget, 'find' | 'label'>,
      answer: AuthorizationAnswer & { readonly state: string },
      actor: UserId,
    ): Promise<void> {
      const { secretName } = target;
      const { verifier, redirectUri, server } = await takePending(holder, target, answer.state);
      checkIssuer(server, answer);
      const { code } = answer;
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      const tokens = await requestTokens(parts.send, server, grant);
      await parts.secrets.inVault(holder, async (vault) => {
        await vault.claimKey();
        const change = { action: 'secret.put', name: secretName, actor } as const;
        await storeTokens(vault, change, { tokens, source: sourceOf(server), isDiscovered: isDiscovered(server) });
      });
    },
  };

  /** It is gone once it was asked for rightly, so a code is tried once. */
  function takePending(
    holder: SecretHolder,
    { secretName, accepts }: Omit<SignInTarget, 'find' | 'label'>,
    state: string,
  ) {
    return parts.secrets.inVault(holder, async (vault) => {
      await vault.claimKey();
      const found = await vault.lock(signInName(secretName));
      const isDue = found?.expiresAt && found.expiresAt.getTime() > Date.now();
      const pending = isDue ? pendingSchema.safeParse(JSON.parse(found.reveal())).data : undefined;
      if (!pending || !accepts(pending.server.tokenUrl) || !equalsSecret(state, hashSecret(pending.state)))
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
  server: z.object({
    ...tokenSourceFields,
    authorizationUrl: z.string(),
    scopes: z.array(z.string()),
    issuer: z.object({ url: z.string(), isNamed: z.boolean() }).optional(),
  }),
});

/** What a refresh needs of the server. */
const sourceOf = ({ tokenUrl, client, resource, reach }: AuthorizationServer) => ({
  tokenUrl,
  client,
  resource,
  reach,
});

/** The settings of a tool name its authorization server, and no issuer. */
const isDiscovered = ({ issuer }: AuthorizationServer) => issuer !== undefined;
