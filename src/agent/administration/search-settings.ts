import { z } from 'zod';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type Principal, requireOperator } from '#domain/principal.ts';
import { remember } from '#domain/remember.ts';
import type { Egress } from '#egress/egress.ts';
import { openSearch } from '#search/open-search.ts';
import { ENGINES, type EngineName, SAFE_SEARCH, SearchFailed } from '#search/search.ts';
import { audited } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { deleteSetting, readSetting, writeSetting } from '#store/settings.ts';
import { type CleanHit, cleanHits } from '#tools/builtin/web/clean-hits.ts';
import type { OpenedSearch, SearchRules } from '#tools/builtin/web-search.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { Vault } from '#tools/secrets/vault.ts';

/** The search engine of the agent. One that the operator stored replaces that of the environment; neither is ever replaced by itself. */
export type SearchSettings = {
  /** Opens the chosen engine; undefined when none was chosen. */
  open(): Promise<OpenedSearch | undefined>;
  describe(actor: Principal): Promise<DescribedSearch>;
  put(actor: Principal, change: SearchChange): Promise<void>;
  /** Returns to the engine of the environment. The stored keys are deleted. */
  remove(actor: Principal): Promise<void>;
  /** One query to the chosen engine, with the hits as the model would get them. */
  test(actor: Principal, query: string): Promise<TestedSearch | { readonly error: string }>;
};

export type TestedSearch = { readonly hits: readonly CleanHit[]; readonly failed: readonly string[] };

export type DescribedSearch = SearchRules & {
  readonly engine: EngineName | null;
  readonly baseUrl: string | null;
  readonly source: 'environment' | 'stored' | null;
  readonly hasKey: boolean;
};

/** Without `apiKey`, the key that is stored for this engine stays. */
export type SearchChange = z.infer<typeof stored> & { readonly apiKey?: string | undefined };

const NAME = 'web_search';
const REMEMBERED_MS = 2000;

const stored = z.object({
  engine: z.enum(ENGINES),
  baseUrl: z.string().optional(),
  safe: z.enum(SAFE_SEARCH),
  language: z.string().optional(),
  country: z.string().optional(),
  only: z.array(z.string()),
  not: z.array(z.string()),
});

type Configured = SearchRules & {
  readonly engine: EngineName | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
};

type Chosen = Configured & { readonly source: DescribedSearch['source'] };

/** Each engine has one address, so a key that is named after its engine is bound to it. */
const keyName = (engine: EngineName) => `search.${engine}`;

export function createSearchSettings(parts: {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly egress: Pick<Egress, 'send'>;
  readonly configured: Configured;
}): SearchSettings {
  const { db, secrets, egress } = parts;
  const chosen = remember(REMEMBERED_MS, () => readChosen(db, secrets, parts.configured));

  async function open(): Promise<OpenedSearch | undefined> {
    const { engine, baseUrl, apiKey, safe, language, country, only, not } = await chosen.read();
    if (!engine || (engine === 'searxng' ? !baseUrl : !apiKey)) return undefined;
    const rules = { safe, language, country, only, not };
    return { engine, rules, search: openSearch(egress, { engine, baseUrl, apiKey }) };
  }

  return {
    open,
    async describe(actor) {
      requireOperator(actor);
      const { engine = null, baseUrl = null, apiKey, ...rest } = await chosen.read();
      return { ...rest, engine, baseUrl, hasKey: apiKey !== undefined };
    },
    async put(actor, change) {
      requireOperator(actor);
      await putSearch(secrets, actor, change);
      chosen.forget();
    },
    async remove(actor) {
      requireOperator(actor);
      await removeSearch(secrets, actor);
      chosen.forget();
    },
    async test(actor, query) {
      requireOperator(actor);
      chosen.forget();
      const opened = await open();
      if (!opened) return { error: 'No search engine is set up, or its key is missing.' };
      try {
        const { search, rules } = opened;
        const { hits, failed } = await search({ query, count: 10, ...rules }, AbortSignal.timeout(TEST_MS));
        return { hits: cleanHits(hits, [rules.only], rules.not).slice(0, TESTED), failed };
      } catch (error) {
        if (!(error instanceof SearchFailed)) throw error;
        return { error: error.message };
      }
    },
  };
}

const TESTED = 3;
/** Longer than an engine may take, with its one retry. */
const TEST_MS = 20_000;

async function readChosen(db: Database, secrets: Secrets, configured: Configured): Promise<Chosen> {
  const own = stored.safeParse(await readSetting(db, NAME)).data;
  if (!own) return { ...configured, source: configured.engine ? 'environment' : null };
  const apiKey = await secrets.inVault('everyone', async (vault) => (await vault.find(keyName(own.engine)))?.reveal());
  const { baseUrl, language, country } = own;
  return { ...own, baseUrl, language, country, apiKey, source: 'stored' };
}

async function putSearch(secrets: Secrets, actor: Principal, { apiKey, ...setting }: SearchChange): Promise<void> {
  const { engine, baseUrl } = setting;
  if (engine === 'searxng' && !baseUrl)
    throw new InvalidRequest('invalid_request', 'base_url', 'SearXNG needs a base_url.');
  if (engine !== 'searxng' && baseUrl)
    throw new InvalidRequest('invalid_request', 'base_url', `${engine} has a fixed address.`);
  await secrets.inVault('everyone', async (vault, trx) => {
    if (apiKey !== undefined) await vault.claimKey();
    const name = keyName(engine);
    if (engine !== 'searxng' && apiKey === undefined && !(await vault.find(name)))
      throw new InvalidRequest('invalid_request', 'api_key', `${engine} needs an api_key.`);
    const detail = { engine, baseUrl: baseUrl ?? null, key: apiKey !== undefined };
    const entry = { actor: actor.userId, action: 'search.put', subject: engine, detail };
    await audited(trx, (writing) => writeSetting(writing, NAME, setting), entry);
    if (apiKey !== undefined)
      await vault.change((writer) => writer.put(name, apiKey), { action: 'secret.put', name, actor: actor.userId });
  });
}

async function removeSearch(secrets: Secrets, actor: Principal): Promise<void> {
  await secrets.inVault('everyone', async (vault, trx) => {
    const entry = { actor: actor.userId, action: 'search.remove', subject: NAME, detail: {} };
    const existed = await audited(
      trx,
      (writing) => deleteSetting(writing, NAME),
      (had) => (had ? entry : 'no right changed'),
    );
    if (!existed) throw new NotFound('No search engine was stored here.');
    for (const engine of ENGINES) await removeKey(vault, actor, keyName(engine));
  });
}

const removeKey = (vault: Vault, actor: Principal, name: string) =>
  vault.change(
    (writer) => writer.remove(name),
    (had) => (had ? { action: 'secret.remove', name, actor: actor.userId } : 'no right changed'),
  );
