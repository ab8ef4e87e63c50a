import { z } from 'zod';
import { grantName } from '../secrets/secret-name.ts';
import type { SecretChange, Vault } from '../secrets/vault.ts';
import type { Tokens } from './token-endpoint.ts';

/**
 * The means to get another access token. It says to whom the refresh token may be shown: another tool that names the
 * same secret, but another address, must not be able to fetch it there.
 */
export type RefreshGrant = { readonly refreshToken: string; readonly tokenUrl: string; readonly clientId: string };

type Received = { readonly tokens: Tokens; readonly tokenUrl: string; readonly clientId: string };

/** The access token is the secret. The grant is stored beside it, under a name that no tool can use. */
export async function storeTokens(
  vault: Vault,
  change: SecretChange,
  { tokens, tokenUrl, clientId }: Received,
): Promise<void> {
  const { refreshToken, accessToken, expiresAt } = tokens;
  const { name } = change;
  await vault.change(async (writer) => {
    if (refreshToken === undefined) await writer.remove(grantName(name));
    else await writer.put(grantName(name), JSON.stringify({ refreshToken, tokenUrl, clientId } satisfies RefreshGrant));
    await writer.put(name, accessToken, expiresAt);
  }, change);
}

const grantSchema = z.object({ refreshToken: z.string(), tokenUrl: z.string(), clientId: z.string() });

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
