type Value = string | number | boolean;

/** What callers have noted about a file of a vector store. */
export type Attributes = Readonly<Record<string, Value>>;

export const COMPARISONS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin'] as const;

type Comparison = {
  readonly type: (typeof COMPARISONS)[number];
  readonly key: string;
  readonly value: Value | readonly (string | number)[];
};

/** Chooses files by their attributes. */
export type AttributeFilter =
  | Comparison
  | { readonly type: 'and' | 'or'; readonly filters: readonly AttributeFilter[] };

export function matchesFilter(attributes: Attributes, filter: AttributeFilter): boolean {
  if ('key' in filter)
    return compare(filter, Object.hasOwn(attributes, filter.key) ? attributes[filter.key] : undefined);
  const { type, filters } = filter;
  return type === 'and'
    ? filters.every((each) => matchesFilter(attributes, each))
    : filters.some((each) => matchesFilter(attributes, each));
}

/** A file without the attribute differs from every value, and is neither more nor less. */
function compare({ type, value }: Comparison, own: Value | undefined): boolean {
  if (type === 'eq' || type === 'ne') return (own === value) === (type === 'eq');
  if (typeof value === 'object') return value.some((each) => each === own) === (type === 'in');
  if (own === undefined || typeof own !== typeof value) return false;
  return (
    (own > value && type.startsWith('gt')) ||
    (own < value && type.startsWith('lt')) ||
    (own === value && type.endsWith('e'))
  );
}
