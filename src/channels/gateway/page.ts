import { z } from 'zod';

const MOST = 100;
const USUAL = 50;
const LIMIT = `limit must be a number from 1 to ${MOST}.`;

/** The query of a list that is read in pages. */
export const pageQuery = (cursor: RegExp) =>
  z.object({
    limit: z.coerce.number<string>(LIMIT).int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).default(USUAL),
    cursor: z.string().regex(cursor, 'cursor must be the next_cursor of an earlier page.').optional(),
  });

/** The cursor of the next page; null when this page is not full. */
export function nextCursor(rows: readonly { readonly id: string }[], limit: number): string | null {
  return rows.length < limit ? null : (rows.at(-1)?.id ?? null);
}

/** The page size; `usual` when it is left out. */
export const pageLimit = (usual: number, most = MOST) =>
  z.coerce
    .number<string>(`limit must be a number from 1 to ${most}.`)
    .int('limit must be a whole number.')
    .min(1, 'limit must be at least 1.')
    .max(most, `limit must be at most ${most}.`)
    .default(usual);
