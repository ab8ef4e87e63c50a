import { z } from 'zod';
import { grantName } from '../secrets/secret-name.ts';
import type { SecretChange, Vault } from '../secrets/vault.ts';
import { type TokenSource, tokenSourceFields } from './authorization-server.ts';
import type { Tokens } from './token-endpoint.ts';

/**
 * The means to get another access token. It says to whom the refresh token may be shown: another tool that names the
 * same secret, but another address, must not be able to fetch it there.
 */
export type RefreshGrant = {
  readonly refreshToken: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  /** How long the access token lives in all. */
  readonly lifetimeMs?: number | undefined;
  /** Of a sign-in whose authorization server was discovered; a tool names its own. */
  readonly source?: TokenSource | undefined;
};

type Received = {
  readonly tokens: Tokens;
  readonly source: TokenSource;
  /** Whether the grant must hold all that a refresh needs. */
  readonly isDiscovered: boolean;
};

/** The access token is the secret. The grant is stored beside it, under a name that no tool can use. */
export async function storeTokens(
  vault: Vault,
  change: SecretChange,
  { tokens, source, isDiscovered }: Received,
): Promise<void> {
  const { refreshToken, accessToken, expiresAt } = tokens;
  const { name } = change;
  const grant = refreshToken !== undefined && {
    refreshToken,
    tokenUrl: source.tokenUrl,
    clientId: source.client.id,
    ...(expiresAt && { lifetimeMs: Math.max(0, expiresAt.getTime() - Date.now()) }),
    ...(isDiscovered && { source }),
  };
  await vault.change(async (writer) => {
    if (grant) await writer.put(grantName(name), JSON.stringify(grant satisfies RefreshGrant));
    else await writer.remove(grantName(name));
    await writer.put(name, accessToken, expiresAt);
  }, change);
}

const grantSchema = z.object({
  refreshToken: z.string(),
  tokenUrl: z.string(),
  clientId: z.string(),
  lifetimeMs: z.number().optional(),
  source: z.object(tokenSourceFields).optional(),
});

export async function findGrant(vault: Pick<Vault, 'find'>, name: string): Promise<RefreshGrant | undefined> {
  return parseGrant(await vault.find(grantName(name)));
}

/** The same, locked until the transaction ends. */
export async function lockGrant(vault: Vault, name: string): Promise<RefreshGrant | undefined> {
  return parseGrant(await vault.lock(grantName(name)));
}

function parseGrant(stored: { reveal(): string } | undefined): RefreshGrant | undefined {
  return stored && grantSchema.parse(JSON.parse(stored.reveal()));
}
