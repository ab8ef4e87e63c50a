import { z } from 'zod';
import type { VectorStoreId } from '#domain/ids.ts';
import { type AttributeFilter, COMPARISONS } from '#domain/search/attribute-filter.ts';
import type { StoreSearch } from '#domain/search/vector-store.ts';
import { parsePart } from './search-options.ts';
import { parsedStoreId } from './vector-store-id.ts';

const MOST_STORES = 10;
const USUAL_RESULTS = 10;
const MOST_RESULTS = 50;
const MOST_COMPARISONS = 32;

const comparison = z
  .strictObject({
    type: z.enum(COMPARISONS),
    key: z.string().min(1).max(64),
    value: z.union([
      z.string().max(512),
      z.number(),
      z.boolean(),
      z.array(z.union([z.string().max(512), z.number()])).max(100),
    ]),
  })
  .refine(({ type, value }) => (type === 'in' || type === 'nin') === Array.isArray(value))
  .meta({ id: 'ComparisonFilter', description: '`in` and `nin` take a list, the others one value.' });

/** Not recursive: a filter that nests deeper is refused before anything follows it. */
const compound = <T extends z.ZodType<AttributeFilter>>(inner: T) =>
  z.strictObject({ type: z.enum(['and', 'or']), filters: z.array(inner).min(1) });
const inner = z.union([comparison, compound(comparison)]);

export const attributeFilter: z.ZodType<AttributeFilter> = z
  .union(
    [comparison, compound(z.union([comparison, compound(inner)]))],
    'A filter is a comparison {type, key, value} (eq, ne, gt, gte, lt, lte, in or nin), or and/or with a list of filters, nested at most three levels.',
  )
  .refine(
    (filter) => countComparisons(filter) <= MOST_COMPARISONS,
    `A filter may have ${MOST_COMPARISONS} comparisons.`,
  )
  .meta({ id: 'AttributeFilter' });

const countComparisons = (filter: AttributeFilter): number =>
  'filters' in filter ? filter.filters.reduce((sum, each) => sum + countComparisons(each), 0) : 1;

const RESULTS = `max_num_results must be a whole number from 1 to ${MOST_RESULTS}.`;
const SCORE = 'score_threshold must be a number from 0 to 1.';

/** What a search in vector stores can say besides its words. */
export const storeSearchFields = {
  max_num_results: z
    .int(RESULTS)
    .min(1, RESULTS)
    .max(MOST_RESULTS, RESULTS)
    .nullish()
    .describe(`${USUAL_RESULTS} when left out.`),
  filters: attributeFilter.nullish().describe('Only files with such attributes.'),
  ranking_options: z
    .looseObject({
      ranker: z
        .enum(['none', 'auto', 'default-2024-11-15'], 'ranker must be none, auto or default-2024-11-15.')
        .nullish()
        .describe('All mean the ranking of this service.'),
      score_threshold: z
        .number(SCORE)
        .min(0, SCORE)
        .max(1, SCORE)
        .nullish()
        .describe('Leaves out passages with a lower `score`.'),
      hybrid_search: z.null('Words and meaning have the same weight here. Leave hybrid_search out.').optional(),
    })
    .nullish(),
};

type SearchFields = z.infer<z.ZodObject<typeof storeSearchFields>>;

export const toStoreSearch = (
  stores: readonly VectorStoreId[],
  { max_num_results: limit, filters: filter, ranking_options: ranking }: SearchFields,
): StoreSearch => ({
  stores,
  limit: limit ?? USUAL_RESULTS,
  ...(filter && { filter }),
  ...(ranking?.score_threshold && { leastScore: ranking.score_threshold }),
});

const STORES = `vector_store_ids must be a list of 1 to ${MOST_STORES} ids of vector stores.`;
const hostedFileSearch = z.looseObject({
  vector_store_ids: z.array(parsedStoreId, STORES).min(1, STORES).max(MOST_STORES, STORES),
  ...storeSearchFields,
});

/** The hosted tool `file_search`. */
export function parseFileSearch(given: unknown, param: string): StoreSearch {
  const { vector_store_ids: stores, ...fields } = parsePart(hostedFileSearch, given, 'invalid_tool', param);
  return toStoreSearch([...new Set(stores)], fields);
}
