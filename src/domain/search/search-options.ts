/** What a request says about its searches. The operator's rules hold as well. */
export type SearchOptions = {
  /** Hosts, with their subdomains, that results may be from; absent for all. */
  readonly only?: readonly string[];
  /** Hosts, with their subdomains, that no result is from. */
  readonly not?: readonly string[];
  /** Where the person is. */
  readonly location?: SearchLocation;
  /** How much the model reads of the results. */
  readonly size?: SearchSize;
};

export type SearchLocation = {
  readonly city?: string;
  readonly region?: string;
  /** Such as `DE`. */
  readonly country?: string;
  /** Such as `Europe/Berlin`. */
  readonly timezone?: string;
};

export const SEARCH_SIZES = ['low', 'medium', 'high'] as const;
export type SearchSize = (typeof SEARCH_SIZES)[number];
