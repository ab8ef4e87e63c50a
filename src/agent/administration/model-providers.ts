import { InvalidRequest } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Egress } from '#egress/egress.ts';
import { type Address, isSameAddress, type KeyFor } from '#models/bound-keys.ts';
import type { ListedModel } from '#models/list-models.ts';
import { isPublicProvider, KEY_VARIABLES, type PublicProvider } from '#models/model-route.ts';
import type { Database } from '#store/connection.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { listProviderModels } from './list-provider-models.ts';
import {
  addressOf,
  noProvider,
  openStoredProviders,
  type ProviderChange,
  type StoredProvider,
} from './stored-providers.ts';

/**
 * Providers whose keys the operator has stored. A key is kept with the address that it was stored for, is sent nowhere
 * else, and is never shown. A key of the environment is used first.
 */
export type ModelProviders = {
  readonly apiKeyFor: KeyFor;
  list(actor: Principal): Promise<ListedProvider[]>;
  /** Adds a provider, or changes its address or key. A key does not move to another address. */
  put(actor: Principal, name: string, change: ProviderChange): Promise<void>;
  remove(actor: Principal, name: string): Promise<void>;
  /** The models that the provider offers. */
  listModels(actor: Principal, name: string): Promise<ListedModel[]>;
};

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

type Parts = {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly egress: Pick<Egress, 'send'>;
  readonly configured: Address;
  /** The keys of the environment, each for the address that it was configured for. */
  readonly configuredKey: (address: Address) => string | undefined;
};

export function createModelProviders({ db, secrets, egress, configured, configuredKey }: Parts): ModelProviders {
  const stored = openStoredProviders(db, secrets);

  const apiKeyFor: KeyFor = async (address) => {
    const given = configuredKey(address);
    if (given !== undefined || address.provider === 'demo') return given;
    const holder = (await stored.list()).find((each) => isSameAddress(each, address));
    return holder && stored.readKey(holder.name);
  };

  async function keySourceOf(provider: StoredProvider): Promise<ListedProvider['keySource']> {
    if (configuredKey(provider) !== undefined) return 'environment';
    return (await apiKeyFor(provider)) === undefined ? null : 'stored';
  }

  async function list(actor: Principal): Promise<ListedProvider[]> {
    requireOperator(actor);
    const all = await stored.list();
    return Promise.all(
      withUsual(all, configured).map(async (each) => ({
        ...each,
        keySource: await keySourceOf(each),
        variable: variableOf(each.name),
        isStored: all.some(({ name }) => name === each.name),
      })),
    );
  }

  return {
    apiKeyFor,
    list,
    async put(actor, name, change) {
      requireOperator(actor);
      await stored.put(actor, name, change);
    },
    async remove(actor, name) {
      requireOperator(actor);
      await stored.remove(actor, name);
    },
    async listModels(actor, name) {
      const provider = (await list(actor)).find((each) => each.name === name);
      if (!provider) throw noProvider(name);
      const { keySource, variable } = provider;
      if (keySource === null && variable !== null)
        throw new InvalidRequest(
          'invalid_request',
          null,
          `The key for ${name} is missing. Add it here, or set ${variable}.`,
        );
      return listProviderModels(egress, provider, await apiKeyFor(provider));
    },
  };
}

/** The large providers and the configured one are listed even without a stored key. */
function withUsual(stored: readonly StoredProvider[], configured: Address): StoredProvider[] {
  const names = Object.keys(KEY_VARIABLES) as PublicProvider[];
  return [
    ...names.map((name) => stored.find((each) => each.name === name) ?? { name, provider: name }),
    ...(configured.provider === 'openai-compatible' ? [{ ...addressOf(configured), name: 'openai-compatible' }] : []),
    ...stored.filter(({ name }) => !isPublicProvider(name)),
  ];
}

function variableOf(name: string): string | null {
  if (isPublicProvider(name)) return KEY_VARIABLES[name];
  return name === 'openai-compatible' ? 'LLM_API_KEY' : null;
}
