import { setTimeout as delay } from 'node:timers/promises';
import { ownerOf, type SecretHolder } from '../secrets/holder.ts';
import { hideValue, isDue, type Secret, unlessExpired } from '../secrets/secret.ts';
import { grantName } from '../secrets/secret-name.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Vault } from '../secrets/vault.ts';
import { createTurnstile } from '../turnstile.ts';
import { AuthFailure } from './auth-failure.ts';
import type { TokenSource } from './authorization-server.ts';
import { getOAuthClient } from './oauth-client.ts';
import { lockGrant, type RefreshGrant, storeTokens } from './stored-tokens.ts';
import { requestTokens, type Send, type Tokens } from './token-endpoint.ts';
import type { Environment, OAuthSettings } from './tool-auth.ts';

/** A token to renew. */
export type RefreshWanted = {
  readonly holder: SecretHolder;
  readonly name: string;
  /** The settings of a tool; without them, the grant says where it came from. */
  readonly oauth?: OAuthSettings | undefined;
  /** The access token that was refused although it is not due. */
  readonly refused?: string | undefined;
};

export type Refresh = {
  /** Gets a new access token by a refresh token; undefined when the person has to sign in again. */
  (wanted: RefreshWanted): Promise<Secret | undefined>;
  /** Resolves when no refresh is under way: a token that the provider sends must not be lost when the service stops. */
  settled(): Promise<unknown>;
};

type Parts = {
  readonly secrets: Pick<Secrets, 'find' | 'inVault'>;
  readonly environment: Environment;
  readonly send: Send;
};

/** Each refresh holds a database connection while the provider takes its time; the pool has more to do than this. */
const AT_ONCE = 4;

/**
 * A refresh token may work only once. The process that uses it locks its row; other processes and replicas wait
 * there and then find the new access token. Inside a process they share one wait.
 */
export function createRefresh(parts: Parts): Refresh {
  const underWay = new Map<string, Promise<Secret | undefined>>();
  const inTurn = createTurnstile(AT_ONCE);

  const renew = (wanted: RefreshWanted) => {
    const { holder, name, oauth, refused } = wanted;
    const key = JSON.stringify([ownerOf(holder).userId, name, oauth?.tokenUrl, refused]);
    const present = underWay.get(key);
    if (present) return present;

    const started = inTurn(() => refresh(parts, wanted)).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
  return Object.assign(renew, { settled: () => Promise.allSettled(underWay.values()) });
}

type Renewed = { readonly grant: RefreshGrant; readonly source: TokenSource; readonly tokens: Tokens };

async function refresh(parts: Parts, wanted: RefreshWanted): Promise<Secret | undefined> {
  const { holder, name, oauth, refused } = wanted;
  // Before the transaction: it needs a connection, too.
  const client = oauth && (await getOAuthClient(parts, oauth, holder));
  let renewed: Renewed | undefined;
  try {
    return await parts.secrets.inVault(holder, async (vault) => {
      await vault.claimKey();
      const grant = await lockGrant(vault, name);
      const current = await findUnlessRefused(vault, name, refused);
      if (current && !isDue(current, grant?.lifetimeMs)) return current; // another was faster
      const source = grant && sourceOf(grant, oauth && client && { tokenUrl: oauth.tokenUrl, client });
      if (!grant || !source) return orNone(vault, wanted, current);

      const tokens = await useGrant(parts.send, vault, { name, grant, source, current });
      if (!tokens) return orNone(vault, wanted, current);
      renewed = { grant, source, tokens };
      return storeRenewed(vault, name, renewed);
    });
  } catch (error) {
    if (!renewed) throw error;
    return storeLater(parts, wanted, renewed);
  }
}

/** Undefined when the grant came from another provider than the one that is named now. */
function sourceOf(grant: RefreshGrant, named: TokenSource | undefined): TokenSource | undefined {
  if (!named) return grant.source;
  return grant.tokenUrl === named.tokenUrl && grant.clientId === named.client.id ? named : undefined;
}

async function findUnlessRefused(vault: Vault, name: string, refused: string | undefined): Promise<Secret | undefined> {
  const found = await vault.find(name);
  return found && found.reveal() === refused ? undefined : found;
}

/** The current token if it still counts. One that was refused is removed, so that the person is asked to sign in. */
async function orNone(vault: Vault, { name, refused }: RefreshWanted, current: Secret | undefined) {
  if (!current && refused !== undefined)
    await vault.change((writer) => writer.remove(name), { action: 'secret.remove', name });
  return unlessExpired(current);
}

type Held = {
  readonly name: string;
  readonly grant: RefreshGrant;
  readonly source: TokenSource;
  readonly current: Secret | undefined;
};

/** New tokens; undefined when there are none, and the current one must do. */
async function useGrant(send: Send, vault: Vault, held: Held): Promise<Tokens | undefined> {
  const { name, grant, source, current } = held;
  try {
    const parameters = { grant_type: 'refresh_token', refresh_token: grant.refreshToken };
    return await requestTokens(send, source, parameters);
  } catch (error) {
    if (error instanceof AuthFailure && isOver(error, grant))
      await vault.change((writer) => writer.remove(grantName(name)), { action: 'secret.remove', name });
    else if (!unlessExpired(current)) throw notRenewed(name, error);
    return undefined;
  }
}

/** A client that was registered automatically can be forgotten by the provider, too. */
const isOver = ({ code }: AuthFailure, { source }: RefreshGrant) =>
  code === 'invalid_grant' || (source !== undefined && code === 'invalid_client');

async function storeRenewed(vault: Vault, name: string, { grant, source, tokens }: Renewed): Promise<Secret> {
  const kept = { ...tokens, refreshToken: tokens.refreshToken ?? grant.refreshToken };
  const received = { tokens: kept, source, isDiscovered: grant.source !== undefined };
  await storeTokens(vault, { action: 'secret.renew', name }, received);
  return hideValue(tokens.accessToken, tokens.expiresAt);
}

const RETRIES = 20;
const RETRY_MS = 500;

/** The provider has answered, and the database was lost. The old refresh token may be spent, so the new one is kept here. */
async function storeLater(
  parts: Parts,
  { holder, name }: RefreshWanted,
  renewed: Renewed,
): Promise<Secret | undefined> {
  for (let tries = 1; ; tries++) {
    await delay(RETRY_MS, undefined, { ref: false });
    try {
      return await parts.secrets.inVault(holder, async (vault) => {
        await vault.claimKey();
        const grant = await lockGrant(vault, name);
        if (grant?.refreshToken !== renewed.grant.refreshToken) return unlessExpired(await vault.find(name));
        return storeRenewed(vault, name, renewed);
      });
    } catch (error) {
      if (tries === RETRIES) throw error;
    }
  }
}

function notRenewed(name: string, cause: unknown): AuthFailure {
  const told = cause instanceof Error ? cause.message : String(cause);
  return new AuthFailure(`The sign-in for "${name}" has expired and could not be renewed. ${told}`, { cause });
}
