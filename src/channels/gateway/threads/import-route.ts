import { z } from 'zod';
import type { ChatImports } from '#agent/imports/chat-imports.ts';
import { defineRoute } from '#http/routes/define-route.ts';

const MAX_CONVERSATIONS = 100;
const MAX_BYTES = 32 * 1024 * 1024;

export const importFromChatGpt = defineRoute({
  method: 'post',
  path: '/api/imports/chatgpt',
  summary: "Make threads of conversations in ChatGPT's export. One that was imported before stays as it is.",
  body: z
    .strictObject({
      conversations: z
        .array(z.record(z.string(), z.unknown()), 'conversations must be an array.')
        .min(1, 'conversations must not be empty.')
        .max(MAX_CONVERSATIONS, `conversations may have ${MAX_CONVERSATIONS} entries.`)
        .describe('Entries of `conversations.json`. Of each, the messages that ChatGPT shows are imported.'),
      own: z
        .boolean('own must be true or false.')
        .nullish()
        .describe(
          '`true`: the caller wrote the messages of the user in them. Otherwise these count as text by others, as the answers always do.',
        ),
    })
    .meta({ id: 'ChatGptImport' }),
  freeFields: ['conversations'],
  bodyBytes: MAX_BYTES,
  responses: {
    200: {
      description: 'What became of each conversation, in their order.',
      json: z
        .strictObject({
          results: z.array(
            z.strictObject({
              state: z
                .enum(['imported', 'known', 'empty', 'unreadable'])
                .describe('`known`: it was imported before. `empty`: nothing was said in it.'),
              thread_id: z.uuid().nullable(),
            }),
          ),
        })
        .meta({ id: 'ImportedChats' }),
    },
  },
  errors: [400, 413],
  async handle({ principal, body: { conversations, own } }, { chatImports }: { readonly chatImports: ChatImports }) {
    const made = await chatImports.fromChatGpt(principal, conversations, own ?? false);
    return { results: made.map(({ state, threadId }) => ({ state, thread_id: threadId })) };
  },
});
