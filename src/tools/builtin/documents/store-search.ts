import { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import type { StoreFindings, StoreSearch } from '#domain/search/vector-store.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import { STORE_SEARCH } from '#domain/tool/reserved-names.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { jsonTool } from '../json-tool.ts';

export type SearchStores = (
  owner: ToolContext['owner'],
  asked: StoreSearch,
  queries: readonly string[],
) => Promise<StoreFindings>;

const MOST_UNREAD = 20;

/** Finds passages in the vector stores that the request names, and nowhere else. Others may have written any of them. */
export const storeSearchTool = (search: SearchStores): Tool => ({
  ...jsonTool({
    name: STORE_SEARCH,
    description:
      'Finds passages in the documents that this request names, by words and meaning. Use several short queries. That nothing is found does not mean that it is not in the documents. Cite what you use as [file, p. 7], and put words that you take over in quotation marks.',
    parameters: z.strictObject({
      queries: z
        .array(z.string().trim().min(1).max(1000))
        .min(1)
        .max(4)
        .describe('What to look for, in the language of the documents.'),
    }),
    flow: { reads: FOREIGN_AND_PRIVATE, from: 'file', runs: 'always', inert: true },
    act: async ({ queries }, owner, { stores }) => {
      if (!stores) throw new NotFound('This request names no documents to search. Continue without the tool.');
      const { found, unread } = await search(owner, stores, queries);
      return {
        results: found.map(({ file, page, text, score }) => ({
          file: file.filename,
          page,
          text,
          score: Math.round(score * 1000) / 1000,
          attributes: file.attributes,
          id: file.id,
        })),
        ...(unread.length > 0 && { unread: unread.slice(0, MOST_UNREAD) }),
      };
    },
  }),
  needsStores: true,
});
