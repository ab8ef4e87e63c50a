import { InvalidRequest } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Egress } from '#egress/egress.ts';
import { type Address, isSameAddress, type KeyFor } from '#models/bound-keys.ts';
import { isPublicProvider, KEY_VARIABLES, type PublicProvider } from '#models/model-route.ts';
import { presetOf } from '#models/provider-presets.ts';
import type { Database } from '#store/connection.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { checkProvider, type ProviderAnswer } from './check-provider.ts';
import {
  addressOf,
  noProvider,
  openStoredProviders,
  type ProviderChange,
  type ProviderCheck,
  type StoredProvider,
  wantedProvider,
} from './stored-providers.ts';

/**
 * Providers whose keys the operator has stored. A key is tried before it is stored, is kept with the address that it was
 * stored for, is sent nowhere else, and is never shown. A key of the environment is used first.
 */
export type ModelProviders = ReturnType<typeof createModelProviders>;

export { PROVIDER_PRESETS, type ProviderPreset } from '#models/provider-presets.ts';

/** A provider that models can be chosen from. */
export type ListedProvider = Address & {
  readonly name: string;
  readonly title: string;
  /** Where its key comes from; null when there is none. */
  readonly keySource: 'environment' | 'stored' | null;
  /** The environment variable for its key, if there is one. */
  readonly variable: string | null;
  /** Whether it was added in the browser. */
  readonly isStored: boolean;
  /** What it answered last; null if it was not tried yet. */
  readonly check: ProviderCheck | null;
};

type Parts = {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly egress: Pick<Egress, 'send'>;
  readonly configured: Address;
  /** The keys of the environment, each for the address that it was configured for. */
  readonly configuredKey: (address: Address) => string | undefined;
};

export function createModelProviders({ db, secrets, egress, configured, configuredKey }: Parts) {
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

  /** The providers in use: added here, or configured by the environment. */
  async function list(actor: Principal): Promise<ListedProvider[]> {
    requireOperator(actor);
    const [all, checks] = await Promise.all([stored.list(), stored.readChecks()]);
    const listed = await Promise.all(
      withUsual(all, configured).map(async (each) => ({
        ...each,
        title: titleOf(each),
        keySource: await keySourceOf(each),
        variable: variableOf(each.name),
        isStored: all.some(({ name }) => name === each.name),
        check: checks.get(each.name) ?? null,
      })),
    );
    return listed.filter(({ isStored, keySource, name }) => isStored || keySource !== null || !isPublicProvider(name));
  }

  async function get(actor: Principal, name: string): Promise<ListedProvider> {
    const provider = (await list(actor)).find((each) => each.name === name);
    if (!provider) throw noProvider(name);
    return provider;
  }

  return {
    apiKeyFor,
    list,
    get,

    /** Adds a provider, or changes its address or key, once the provider has accepted them. A key does not move to another address. */
    async put(actor: Principal, name: string, change: ProviderChange): Promise<void> {
      requireOperator(actor);
      const wanted = wantedProvider(name, change);
      const answer = await checkProvider(egress, wanted, change.apiKey ?? (await apiKeyFor(wanted)));
      refuseUnlessUsable(wanted, answer);
      await stored.put(actor, wanted, change.apiKey, answer);
    },

    async remove(actor: Principal, name: string): Promise<void> {
      requireOperator(actor);
      await stored.remove(actor, name);
    },

    /** Asks a provider again for its models. */
    async check(actor: Principal, name: string): Promise<ListedProvider> {
      const provider = await get(actor, name);
      const said = await checkProvider(egress, provider, await apiKeyFor(provider));
      // While it can't be asked, its models stay known.
      const answer = said.state === 'works' ? said : { ...said, models: provider.check?.models ?? [] };
      await stored.writeCheck(name, answer);
      return { ...provider, check: { ...answer, checkedAt: new Date() } };
    },
  };
}

function refuseUnlessUsable(provider: StoredProvider, { state, problem }: ProviderAnswer): void {
  const said = `${problem ?? ''} Nothing was stored.`;
  const name = titleOf(provider);
  if (state === 'key_refused') throw new InvalidRequest('key_refused', 'api_key', said, { provider: name });
  if (state === 'unreachable') {
    const host = provider.baseUrl ? new URL(provider.baseUrl).host : name;
    throw new InvalidRequest('provider_unreachable', 'base_url', said, { host });
  }
}

/** The large providers and the configured one, which may have a key of the environment, and those that were added. */
function withUsual(stored: readonly StoredProvider[], configured: Address): StoredProvider[] {
  const names = Object.keys(KEY_VARIABLES) as PublicProvider[];
  return [
    ...names.map((name) => stored.find((each) => each.name === name) ?? { name, provider: name }),
    ...(configured.provider === 'openai-compatible' ? [{ ...addressOf(configured), name: 'openai-compatible' }] : []),
    ...stored.filter(({ name }) => !isPublicProvider(name)),
  ];
}

/** The name that people know. A server of the environment has none, so it is called by its host. */
function titleOf(provider: StoredProvider): string {
  const known = presetOf(provider)?.title;
  if (known !== undefined || provider.name !== 'openai-compatible' || !provider.baseUrl) return known ?? provider.name;
  return new URL(provider.baseUrl).host;
}

function variableOf(name: string): string | null {
  if (isPublicProvider(name)) return KEY_VARIABLES[name];
  return name === 'openai-compatible' ? 'LLM_API_KEY' : null;
}
