import { z } from 'zod';

const MOST = 100;
const LIMIT = `limit must be a whole number from 1 to ${MOST}.`;

/** The query of a list that is read in pages. */
export const pageQuery = {
  limit: z.coerce.number<string>(LIMIT).int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).default(20),
  order: z.enum(['asc', 'desc'], 'order must be asc or desc.').default('desc'),
};

export const pageOf = <T extends z.ZodType>(entry: T, id: string) =>
  z
    .strictObject({
      object: z.literal('list'),
      data: z.array(entry),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    })
    .meta({ id });

/** `found` has one more than the page if there are others. */
export function renderPage<T extends { readonly id: string }>(found: readonly T[], limit: number) {
  const data = found.slice(0, limit);
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}
