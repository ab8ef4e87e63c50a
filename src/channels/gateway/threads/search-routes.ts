import { z } from 'zod';
import type { Threads } from '#agent/threads/threads.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { searchWordsOf } from '#domain/text/search-words.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { pageLimit } from '../page.ts';

type Services = { readonly threads: Threads };

const MOST_WORDS = 10;

const search = z.string('q is required.').max(200, 'q may have 200 characters.');

const found = z
  .strictObject({
    thread_id: z.uuid(),
    title: z.string().describe('The title of the thread. May be empty.'),
    item_id: z.uuid(),
    role: z.enum(['user', 'assistant']),
    excerpt: z
      .array(z.strictObject({ text: z.string(), match: z.boolean() }))
      .describe('The text around the matches, in pieces.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'FoundMessage' });

export const searchMessages = defineRoute({
  method: 'get',
  path: '/api/search',
  summary: "Search what was said in the caller's threads.",
  query: z.object({
    q: search.describe('Words; a message must contain them all. The beginning of a word is enough.'),
    limit: pageLimit(20),
  }),
  responses: {
    200: {
      description: 'The newest matches first.',
      json: z.strictObject({ results: z.array(found) }).meta({ id: 'SearchResults' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { q, limit } }, { threads }: Services) {
    const words = readWords(q);
    const results = words.length === 0 ? [] : await threads.search(principal, words, limit);
    return { results: results.map((message) => renderAs(found, message)) };
  },
});

const foundFile = z
  .strictObject({
    thread_id: z.uuid(),
    title: z.string().describe('The title of the thread. May be empty.'),
    path: z.string(),
    bytes: z.int(),
    created_at: z.iso.datetime().describe('When its newest version was made.'),
  })
  .meta({ id: 'FoundFile' });

export const searchFiles = defineRoute({
  method: 'get',
  path: '/api/search/files',
  summary: "Search the files of the caller's threads by their names.",
  query: z.object({
    q: search.describe('Words; the path of a file must contain them all.'),
    limit: pageLimit(20),
  }),
  responses: {
    200: {
      description: 'The newest files first.',
      json: z.strictObject({ files: z.array(foundFile) }).meta({ id: 'FileSearchResults' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { q, limit } }, { threads }: Services) {
    const words = readWords(q);
    const files = words.length === 0 ? [] : await threads.searchFiles(principal, words, limit);
    return { files: files.map((file) => renderAs(foundFile, file)) };
  },
});

export const threadSearchRoutes = [searchMessages, searchFiles];

function readWords(q: string): string[] {
  const words = searchWordsOf(q);
  if (words.length > MOST_WORDS) throw new InvalidRequest('invalid_request', 'q', `q may have ${MOST_WORDS} words.`);
  return words;
}
