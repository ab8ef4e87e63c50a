import { z } from 'zod';
import { wireItem, wireUsage } from './wire-items.ts';

/** A thread as lists and the WebSocket tell of it. */
export const wireThread = z
  .strictObject({
    id: z.uuid(),
    title: z.string().describe('As it was renamed, or else the first words of its first message. May be empty.'),
    renamed: z.boolean(),
    pinned: z.boolean(),
    archived: z.boolean(),
    status: z.enum(['idle', 'running', 'waiting']).describe('`waiting`: at a gate, until somebody answers it.'),
    preview: z.string().describe('The beginning of the newest message. May be empty.'),
    usage: wireUsage.describe('What its ended turns have consumed.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('When its newest turn was accepted.'),
  })
  .meta({ id: 'Thread' });

const flag = z.enum(['true', 'false'], 'archived must be true or false.');

export const threadsQuery = z.object({
  q: z.string().max(200, 'q may have 200 characters.').optional().describe('Words that the title or a message holds.'),
  archived: flag.optional().describe('true: only those in the archive. Left out: only the others.'),
  limit: z.coerce
    .number<string>('limit must be a number from 1 to 100.')
    .int('limit must be a whole number.')
    .min(1, 'limit must be at least 1.')
    .max(100, 'limit must be at most 100.')
    .default(50),
  cursor: z.string().max(200).optional().describe('next_cursor of an earlier page.'),
});

/** The body of `GET /api/threads`: the caller's own, the pinned first, then the newest. */
export const threadList = z
  .strictObject({ threads: z.array(wireThread), next_cursor: z.string().nullable() })
  .meta({ id: 'ThreadList' });

/** `title: null` or an empty one goes back to the first words. */
export const threadChange = z
  .object({
    title: z.string('title must be a string.').trim().max(300, 'title may have 300 characters.').nullable().optional(),
    pinned: z.boolean('pinned must be true or false.').optional(),
    archived: z.boolean('archived must be true or false.').optional(),
  })
  .refine((change) => Object.keys(change).length > 0, { error: 'Send title, pinned or archived.' })
  .meta({ id: 'ThreadChange' });

/** The new thread has every item before this one; left out, all of them. */
export const forkRequest = z
  .object({ before_item_id: z.uuid('before_item_id must be the id of an item of this thread.').nullish() })
  .meta({ id: 'ForkRequest' });

export const exportQuery = z.object({
  format: z.enum(['markdown', 'json'], 'format must be markdown or json.').default('markdown'),
});

/** A whole thread as `?format=json` gives it; here the bytes of images and files come along, in base64. */
export const threadExport = z
  .strictObject({
    version: z.literal(1),
    thread: wireThread,
    items: z.array(wireItem),
    attachments: z.record(z.string().describe('The `url` of the part.'), z.string()),
  })
  .meta({ id: 'ThreadExport' });
