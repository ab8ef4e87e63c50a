import { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { modelKeyName } from '#domain/model-key.ts';
import type { Principal } from '#domain/principal.ts';
import { type Remembered, remember } from '#domain/remember.ts';
import { type Address, isSameAddress } from '#models/bound-keys.ts';
import { isPublicProvider } from '#models/model-route.ts';
import { audited } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { deleteSetting, listSettings, lockSetting, writeSetting } from '#store/settings.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Vault } from '#tools/secrets/vault.ts';

export type StoredProvider = Address & { readonly name: string };

export type ProviderChange = { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };

/** One setting for each provider, so that concurrent changes of different ones don't overwrite each other. */
const PREFIX = 'model_provider:';
const MOST = 50;
const REMEMBERED_MS = 2000;

const stored = z.object({
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible']),
  baseUrl: z.string().optional(),
});

/** The providers in the database, and their keys among the secrets. Both are read again every two seconds at most. */
export function openStoredProviders(db: Database, secrets: Secrets) {
  const all = remember(REMEMBERED_MS, () => load(db));
  const keys = new Map<string, Remembered<string | undefined>>();

  function forget(): void {
    all.forget();
    keys.clear();
  }

  return {
    list: all.read,
    readKey(name: string): Promise<string | undefined> {
      const known = keys.get(name) ?? remember(REMEMBERED_MS, () => revealKey(secrets, name));
      keys.set(name, known);
      return known.read();
    },
    async put(actor: Principal, name: string, change: ProviderChange): Promise<void> {
      await putProvider(secrets, actor, name, change);
      forget();
    },
    async remove(actor: Principal, name: string): Promise<void> {
      await removeProvider(secrets, actor, name);
      forget();
    },
  };
}

async function load(db: Database): Promise<StoredProvider[]> {
  const rows = await listSettings(db, PREFIX);
  return rows.flatMap(({ name, value }) => {
    const read = stored.safeParse(value);
    return read.success ? [{ ...addressOf(read.data), name: name.slice(PREFIX.length) }] : [];
  });
}

export const addressOf = ({ provider, baseUrl }: Address): Address => ({
  provider,
  ...(baseUrl !== undefined && { baseUrl }),
});

const revealKey = (secrets: Secrets, name: string) =>
  secrets.inVault('everyone', async (vault) => (await vault.find(modelKeyName(name)))?.reveal());

/** A key does not move to another address. */
async function putProvider(secrets: Secrets, actor: Principal, name: string, change: ProviderChange): Promise<void> {
  const wanted = checkProvider(name, change);
  const { apiKey } = change;
  await secrets.inVault('everyone', async (vault, trx) => {
    if (apiKey !== undefined) await vault.claimKey();
    const before = stored.safeParse(await lockSetting(trx, PREFIX + name, 'update')).data;
    if (!before && (await listSettings(trx, PREFIX)).length >= MOST)
      throw new InvalidRequest('invalid_request', null, `There can be ${MOST} providers. Remove one first.`);
    const detail = { baseUrl: wanted.baseUrl ?? null, key: apiKey !== undefined };
    const entry = { actor: actor.userId, action: 'provider.put', subject: name, detail };
    await audited(trx, (writing) => writeSetting(writing, PREFIX + name, wanted), entry);
    const secret = { name: modelKeyName(name), actor: actor.userId };
    if (apiKey !== undefined)
      await vault.change((writer) => writer.put(secret.name, apiKey), { ...secret, action: 'secret.put' });
    else if (before && !isSameAddress(before, wanted)) await removeKey(vault, actor, name);
  });
}

async function removeProvider(secrets: Secrets, actor: Principal, name: string): Promise<void> {
  await secrets.inVault('everyone', async (vault, trx) => {
    const entry = { actor: actor.userId, action: 'provider.remove', subject: name, detail: {} };
    const existed = await audited(
      trx,
      (writing) => deleteSetting(writing, PREFIX + name),
      (had) => (had ? entry : 'no right changed'),
    );
    if (!existed) throw noProvider(name);
    await removeKey(vault, actor, name);
  });
}

async function removeKey(vault: Vault, actor: Principal, provider: string): Promise<void> {
  const name = modelKeyName(provider);
  await vault.change(
    (writer) => writer.remove(name),
    (had) => (had ? { action: 'secret.remove', name, actor: actor.userId } : 'no right changed'),
  );
}

export const noProvider = (name: string) => new NotFound(`No provider "${name.slice(0, 64)}" was added here.`);

/** The large providers have one address each. Any other name is a server with OpenAI's API. */
function checkProvider(name: string, { baseUrl }: ProviderChange): z.infer<typeof stored> {
  if (name === 'openai-compatible' || name === 'demo')
    throw new InvalidRequest('invalid_request', 'name', `"${name}" is reserved. Choose another name.`);
  if (isPublicProvider(name)) {
    if (baseUrl !== undefined)
      throw new InvalidRequest(
        'invalid_request',
        'base_url',
        `${name} has a fixed address. Add a server under another name.`,
      );
    return { provider: name };
  }
  if (baseUrl === undefined) throw new InvalidRequest('invalid_request', 'base_url', 'This provider needs a base_url.');
  return { provider: 'openai-compatible', baseUrl };
}
