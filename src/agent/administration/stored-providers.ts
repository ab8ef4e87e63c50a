import { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { modelKeyName } from '#domain/model-key.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { type Remembered, remember } from '#domain/remember.ts';
import { type Address, isSameAddress } from '#models/bound-keys.ts';
import type { ListedModel } from '#models/list-models.ts';
import { isPublicProvider } from '#models/model-route.ts';
import { PROVIDER_PRESETS } from '#models/provider-presets.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { deleteSetting, listSettings, lockSetting, writeSetting } from '#store/settings.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Vault } from '#tools/secrets/vault.ts';
import type { ProviderAnswer } from './check-provider.ts';

export type StoredProvider = Address & { readonly name: string };

export type ProviderChange = { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };

/** What a provider answered when it was tried last. */
export type ProviderCheck = ProviderAnswer & { readonly checkedAt: Date };

/** One setting for each provider, so that concurrent changes of different ones don't overwrite each other. */
const PREFIX = 'model_provider:';
const CHECKS = 'model_list:';
const MOST = 50;
const REMEMBERED_MS = 2000;

const stored = z.object({
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible']),
  baseUrl: z.string().optional(),
});

const listedModel: z.ZodType<ListedModel> = z.object({
  id: z.string(),
  contextTokens: z.int().nullable(),
  reads: z.array(z.enum(['image', 'pdf'])).nullable(),
});
const storedCheck = z.object({
  state: z.enum(['works', 'key_refused', 'unreachable', 'no_list']),
  models: z.array(listedModel),
  problem: z.string().nullable(),
  checkedAt: z.coerce.date(),
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
    async put(actor: Principal, wanted: StoredProvider, apiKey: string | undefined, check: ProviderAnswer) {
      await putProvider(secrets, actor, wanted, apiKey, check);
      forget();
    },

    /** What each provider answered last, by its name. */
    async readChecks(): Promise<ReadonlyMap<string, ProviderCheck>> {
      const rows = await listSettings(db, CHECKS);
      const read = rows.map(
        ({ name, value }) => [name.slice(CHECKS.length), storedCheck.safeParse(value).data] as const,
      );
      return new Map(read.flatMap(([name, check]) => (check ? [[name, check]] : [])));
    },

    writeCheck: (name: string, check: ProviderAnswer): Promise<void> =>
      withOwner(db, OPERATOR, (trx) => writeCheck(trx, name, check)),

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

function writeCheck(trx: OwnedTransaction, name: string, check: ProviderAnswer): Promise<void> {
  const value = { ...check, checkedAt: new Date() };
  return audited(
    trx,
    (writing) => writeSetting(writing, CHECKS + name, value),
    () => 'no right changed',
  );
}

/** A key does not move to another address. */
async function putProvider(
  secrets: Secrets,
  actor: Principal,
  { name, ...wanted }: StoredProvider,
  apiKey: string | undefined,
  check: ProviderAnswer,
): Promise<void> {
  await secrets.inVault('everyone', async (vault, trx) => {
    if (apiKey !== undefined) await vault.claimKey();
    const before = stored.safeParse(await lockSetting(trx, PREFIX + name, 'update')).data;
    if (!before && (await listSettings(trx, PREFIX)).length >= MOST)
      throw new InvalidRequest('invalid_request', null, `There can be ${MOST} providers. Remove one first.`);
    const detail = { baseUrl: wanted.baseUrl ?? null, key: apiKey !== undefined };
    const entry = { actor: actor.userId, action: 'provider.put', subject: name, detail };
    await audited(trx, (writing) => writeSetting(writing, PREFIX + name, wanted), entry);
    await writeCheck(trx, name, check);
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
      async (writing) => {
        await deleteSetting(writing, CHECKS + name);
        return deleteSetting(writing, PREFIX + name);
      },
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

/** The provider that a change would store. A name of the presets brings its address; any other is a server with OpenAI's API. */
export function wantedProvider(name: string, { baseUrl }: ProviderChange): StoredProvider {
  if (name === 'openai-compatible' || name === 'demo')
    throw new InvalidRequest('invalid_request', 'name', `"${name}" is reserved. Choose another name.`);
  if (isPublicProvider(name)) {
    if (baseUrl !== undefined)
      throw new InvalidRequest(
        'invalid_request',
        'base_url',
        `${name} has a fixed address. Add a server under another name.`,
      );
    return { name, provider: name };
  }
  const preset = PROVIDER_PRESETS.find((each) => each.name === name);
  const address = baseUrl ?? (preset?.isFixed ? preset.baseUrl : undefined);
  if (address === undefined) throw new InvalidRequest('invalid_request', 'base_url', 'This provider needs a base_url.');
  return { name, provider: preset?.provider ?? 'openai-compatible', baseUrl: address };
}
