import { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { modelKeyName } from '#domain/model-key.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import { type Address, isSameAddress, type KeyFor } from '#models/bound-keys.ts';
import type { ListedModel } from '#models/list-models.ts';
import { isPublicProvider, KEY_VARIABLES, type PublicProvider } from '#models/model-route.ts';
import { audited } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { deleteSetting, listSettings, lockSetting, writeSetting } from '#store/settings.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

export type ModelProviders = ReturnType<typeof createModelProviders>;

/** A provider that models can be chosen from. */
export type ListedProvider = Address & {
  readonly name: string;
  /** Where its key comes from; null when there is none. */
  readonly keySource: 'environment' | 'stored' | null;
  /** The environment variable for its key, if there is one. */
  readonly variable: string | null;
  /** Whether it was added in the browser. */
  readonly isStored: boolean;
};

export type ProviderChange = { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };

type Parts = {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly egress: Pick<Egress, 'send'>;
  readonly configured: Address;
  /** The keys of the environment, each for the address that it was configured for. */
  readonly configuredKey: (address: Address) => string | undefined;
};

/** One setting for each provider, so that concurrent changes of different ones don't overwrite each other. */
const PREFIX = 'model_provider:';
const MOST = 50;
const REMEMBERED_MS = 2000;
const LIST_BYTES = 5 * 1024 * 1024;
const LIST_MS = 15_000;

const stored = z.object({
  provider: z.enum(['openai', 'anthropic', 'google', 'openai-compatible']),
  baseUrl: z.string().optional(),
});

type Stored = Address & { readonly name: string };

/**
 * Providers whose keys the operator has stored. A key is kept with the address that it was stored for, is sent nowhere
 * else, and is never shown. A key of the environment is used first.
 */
export function createModelProviders({ db, secrets, egress, configured, configuredKey }: Parts) {
  let remembered: { readonly all: Promise<Stored[]>; readonly until: number } | undefined;
  const keys = new Map<string, { readonly key: Promise<string | undefined>; readonly until: number }>();

  function readAll(): Promise<Stored[]> {
    if (!remembered || remembered.until < performance.now()) {
      const all = load(db);
      remembered = { all, until: performance.now() + REMEMBERED_MS };
      all.catch(() => (remembered = undefined));
    }
    return remembered.all;
  }

  function readKey(name: string): Promise<string | undefined> {
    const known = keys.get(name);
    if (known && known.until >= performance.now()) return known.key;
    const key = secrets.inVault('everyone', async (vault) => (await vault.find(modelKeyName(name)))?.reveal());
    keys.set(name, { key, until: performance.now() + REMEMBERED_MS });
    key.catch(() => keys.delete(name));
    return key;
  }

  function forget(): void {
    remembered = undefined;
    keys.clear();
  }

  const apiKeyFor: KeyFor = async (address) => {
    const given = configuredKey(address);
    if (given !== undefined || address.provider === 'demo') return given;
    const holder = (await readAll()).find((each) => isSameAddress(each, address));
    return holder && readKey(holder.name);
  };

  async function listAll(): Promise<ListedProvider[]> {
    const all = await readAll();
    const names = Object.keys(KEY_VARIABLES) as PublicProvider[];
    const listed = [
      ...names.map((name): Stored => all.find((each) => each.name === name) ?? { name, provider: name }),
      ...(configured.provider === 'openai-compatible' ? [{ ...address(configured), name: 'openai-compatible' }] : []),
      ...all.filter(({ name }) => !isPublicProvider(name)),
    ];
    return Promise.all(
      listed.map(async (each) => ({
        ...each,
        keySource: await sourceOf(each),
        variable: variableOf(each.name),
        isStored: all.some(({ name }) => name === each.name),
      })),
    );
  }

  async function sourceOf(provider: Stored): Promise<ListedProvider['keySource']> {
    if (configuredKey(provider) !== undefined) return 'environment';
    return (await apiKeyFor(provider)) === undefined ? null : 'stored';
  }

  return {
    apiKeyFor,

    async list(actor: Principal): Promise<ListedProvider[]> {
      requireOperator(actor);
      return listAll();
    },

    /** Adds a provider, or changes its address or key. A key does not move to another address. */
    async put(actor: Principal, name: string, change: ProviderChange): Promise<void> {
      requireOperator(actor);
      const wanted = checkProvider(name, change);
      await secrets.inVault('everyone', async (vault, trx) => {
        if (change.apiKey !== undefined) await vault.claimKey();
        const before = stored.safeParse(await lockSetting(trx, PREFIX + name, 'update')).data;
        if (!before && (await listSettings(trx, PREFIX)).length >= MOST)
          throw new InvalidRequest('invalid_request', null, `There can be ${MOST} providers. Remove one first.`);
        const entry = {
          actor: actor.userId,
          action: 'provider.put',
          subject: name,
          detail: { baseUrl: wanted.baseUrl ?? null, key: change.apiKey !== undefined },
        };
        await audited(trx, (writing) => writeSetting(writing, PREFIX + name, wanted), entry);
        const secret = { name: modelKeyName(name), actor: actor.userId };
        const { apiKey } = change;
        if (apiKey !== undefined)
          await vault.change((writer) => writer.put(secret.name, apiKey), { ...secret, action: 'secret.put' });
        else if (before && !isSameAddress(before, wanted))
          await vault.change(
            (writer) => writer.remove(secret.name),
            (had) => (had ? { ...secret, action: 'secret.remove' } : 'no right changed'),
          );
      });
      forget();
    },

    async remove(actor: Principal, name: string): Promise<void> {
      requireOperator(actor);
      await secrets.inVault('everyone', async (vault, trx) => {
        const existed = await audited(
          trx,
          (writing) => deleteSetting(writing, PREFIX + name),
          (had) =>
            had ? { actor: actor.userId, action: 'provider.remove', subject: name, detail: {} } : 'no right changed',
        );
        if (!existed) throw noProvider(name);
        const secret = { name: modelKeyName(name), actor: actor.userId, action: 'secret.remove' } as const;
        await vault.change(
          (writer) => writer.remove(secret.name),
          (had) => (had ? secret : 'no right changed'),
        );
      });
      forget();
    },

    /** The models that the provider offers. Its answer is bounded, and entries that can't be used are left out. */
    async listModels(actor: Principal, name: string): Promise<ListedModel[]> {
      requireOperator(actor);
      const provider = (await listAll()).find((each) => each.name === name);
      if (!provider) throw noProvider(name);
      if (provider.keySource === null && provider.variable !== null) throw refuse(lackOf(provider));
      const { listRequest, readModelList } = await import('#models/list-models.ts');
      const request = listRequest(provider, await apiKeyFor(provider));
      const answer = await orExplain(provider, () =>
        egress.send({
          ...request,
          method: 'GET',
          // The operator has set this address, and models on a private network are common.
          privateOrigin: provider.provider === 'openai-compatible' ? new URL(request.url).origin : undefined,
          timeoutMs: LIST_MS,
          maxResponseBytes: LIST_BYTES,
        }),
      );
      const models = answer.status === 200 ? readModelList(provider.provider, parseJson(answer)) : undefined;
      if (!models) throw refuse(describeAnswer(provider, answer.status));
      return models;
    },
  };
}

async function load(db: Database): Promise<Stored[]> {
  const rows = await listSettings(db, PREFIX);
  return rows.flatMap(({ name, value }) => {
    const read = stored.safeParse(value);
    return read.success ? [{ ...address(read.data), name: name.slice(PREFIX.length) }] : [];
  });
}

const address = ({ provider, baseUrl }: Address): Address => ({ provider, ...(baseUrl !== undefined && { baseUrl }) });

function variableOf(name: string): string | null {
  if (isPublicProvider(name)) return KEY_VARIABLES[name];
  return name === 'openai-compatible' ? 'LLM_API_KEY' : null;
}

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

function lackOf({ name, variable }: ListedProvider): string {
  return `There is no key for ${name}. Add one here, or set ${variable}.`;
}

function describeAnswer({ name }: ListedProvider, status: number): string {
  if (status === 401 || status === 403) return `${name} refused the key (${status}). Check the key.`;
  if (status === 404)
    return `${name} has no list of models at this address (404). Check the base URL, or type the name of the model.`;
  if (status === 200) return `The answer of ${name} is not a list of models. Type the name of the model.`;
  return `${name} answered ${status} instead of a list of models. Try again later, or type the name of the model.`;
}

async function orExplain(provider: ListedProvider, send: () => Promise<EgressAnswer>): Promise<EgressAnswer> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof EgressFailed || error instanceof EgressRefused)
      throw refuse(`The models of ${provider.name} could not be listed. ${error.message}`);
    throw error;
  }
}

function parseJson({ body }: EgressAnswer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

const refuse = (message: string) => new InvalidRequest('invalid_request', null, message);

const noProvider = (name: string) => new NotFound(`There is no provider "${name.slice(0, 64)}" that was added here.`);
