import { ownerOf, type SecretHolder } from '../secrets/holder.ts';
import { hideValue, isDue, type Secret, unlessExpired } from '../secrets/secret.ts';
import { grantName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Vault } from '../secrets/vault.ts';
import { AuthFailure } from './auth-failure.ts';
import { getOAuthClient, type OAuthClient } from './oauth-client.ts';
import { lockGrant, type RefreshGrant, storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send, type Tokens } from './token-endpoint.ts';
import type { Environment, OAuthSettings } from './tool-auth.ts';

/** Gets a new access token by a refresh token; undefined when the person has to sign in again. */
export type Refresh = (holder: SecretHolder, name: string, oauth: OAuthSettings) => Promise<Secret | undefined>;

type Parts = { readonly secrets: Secrets; readonly environment: Environment; readonly send: Send };

/** Each refresh holds a database connection while the provider takes its time; the pool has more to do than this. */
const AT_ONCE = 4;

/**
 * A refresh token may work only once. The process that uses it locks its row; other processes and replicas wait
 * there and then find the new access token. Inside a process they share one wait.
 */
export function createRefresh(parts: Parts): Refresh {
  const underWay = new Map<string, Promise<Secret | undefined>>();
  const inTurn = createTurnstile(AT_ONCE);

  return async (holder, name, oauth) => {
    const key = JSON.stringify([ownerOf(holder).userId, name, oauth.tokenUrl]);
    const present = underWay.get(key);
    if (present) return present;

    const started = inTurn(() => refresh(parts, holder, name, oauth)).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}

async function refresh(
  parts: Parts,
  holder: SecretHolder,
  name: string,
  oauth: OAuthSettings,
): Promise<Secret | undefined> {
  const client = await getOAuthClient(parts, oauth, holder); // before the transaction: it needs a connection, too
  return parts.secrets.inVault(holder, async (vault) => {
    await vault.claimKey();
    const grant = await lockGrant(vault, name);
    const current = await vault.find(name);
    if (current && !isDue(current)) return current; // another was faster
    if (!grant || grant.tokenUrl !== oauth.tokenUrl || grant.clientId !== client.id) return unlessExpired(current);

    return useGrant(parts.send, vault, name, { grant, client, current });
  });
}

type Held = { readonly grant: RefreshGrant; readonly client: OAuthClient; readonly current: Secret | undefined };

async function useGrant(send: Send, vault: Vault, name: string, held: Held): Promise<Secret | undefined> {
  const { grant, client, current } = held;
  let tokens: Tokens;
  try {
    const parameters = { grant_type: 'refresh_token', refresh_token: grant.refreshToken };
    tokens = await requestTokens(send, grant.tokenUrl, client, parameters);
  } catch (error) {
    if (error instanceof AuthFailure && error.code === 'invalid_grant')
      await vault.change((writer) => writer.remove(grantName(name)), { action: 'secret.remove', name });
    else if (!unlessExpired(current)) throw notRenewed(name, error);
    return unlessExpired(current);
  }

  const kept = { ...tokens, refreshToken: tokens.refreshToken ?? grant.refreshToken };
  await storeTokens(
    vault,
    { action: 'secret.renew', name },
    { tokens: kept, tokenUrl: grant.tokenUrl, clientId: grant.clientId },
  );
  return hideValue(tokens.accessToken, tokens.expiresAt);
}

function notRenewed(name: string, cause: unknown): AuthFailure {
  const told = cause instanceof Error ? cause.message : String(cause);
  return new AuthFailure(`The sign-in for "${name}" has expired and could not be renewed. ${told}`, { cause });
}

/** Lets so many act at once; the others queue. */
function createTurnstile(most: number) {
  const queue: (() => void)[] = [];
  let inside = 0;
  return async <T>(act: () => Promise<T>): Promise<T> => {
    if (inside === most) await new Promise<void>((resolve) => queue.push(resolve));
    else inside++;
    try {
      return await act();
    } finally {
      const next = queue.shift(); // it takes over our place
      if (next) next();
      else inside--;
    }
  };
}
