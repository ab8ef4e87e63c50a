/** A search engine: one query, and what it found. Throws `SearchFailed` when it can't answer. */
export type Search = (ask: SearchAsk, signal: AbortSignal) => Promise<Found>;

export type SearchAsk = {
  readonly query: string;
  readonly count: number;
  readonly freshness?: Freshness | undefined;
  /** Such as `de`. */
  readonly language?: string | undefined;
  /** Such as `DE`. */
  readonly country?: string | undefined;
  readonly safe: SafeSearch;
  /** Hosts with their subdomains. Engines may ignore both lists: the hits are checked afterwards. */
  readonly only?: readonly string[] | undefined;
  readonly not?: readonly string[] | undefined;
};

export const FRESHNESS = ['day', 'week', 'month', 'year'] as const;
export type Freshness = (typeof FRESHNESS)[number];

export const SAFE_SEARCH = ['off', 'moderate', 'strict'] as const;
export type SafeSearch = (typeof SAFE_SEARCH)[number];

export type Found = {
  readonly hits: readonly Hit[];
  /** What did not answer, in words. Without it, no hits mean that nothing was found. */
  readonly failed: readonly string[];
  /** What the query cost; null when it is unknown. */
  readonly usd: number | null;
};

/** As the engine wrote it: every text may be hostile, and the title and the snippet may be HTML. */
export type Hit = {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  readonly published: string | null;
};

export const ENGINES = ['searxng', 'brave', 'tavily', 'exa'] as const;
export type EngineName = (typeof ENGINES)[number];

/** The engine that the operator has chosen. */
export type SearchChoice = {
  readonly engine: EngineName;
  /** Of SearXNG, which runs on a self-hosted server. The others have one address each. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
};

/** The engine could not answer. The message says why, for the model, the operator and the person. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed';
}
