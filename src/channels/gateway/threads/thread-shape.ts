import { z } from 'zod';
import { CHAT_CHANNELS, isChatChannel } from '#domain/chat/chat-channel.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { ThreadListing } from '#domain/thread/thread.ts';
import type { Channel } from '#domain/thread/turn.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { renderUsage, spent } from './item-shape.ts';

/** A thread in lists and WebSocket messages. */
export const thread = z
  .strictObject({
    id: z.uuid(),
    title: z
      .string()
      .describe('The title from its owner, or from a model, or the first words of its first message. May be empty.'),
    renamed: z.boolean(),
    pinned: z.boolean(),
    archived: z.boolean(),
    network: z.literal(true).optional().describe('Present if its code may reach the hosts that the operator lists.'),
    temporary: z
      .literal(true)
      .optional()
      .describe(
        'Present if it neither reads nor writes memory, is in no search, and is deleted 24 hours after its last message.',
      ),
    project_id: z.uuid().nullable().describe('The project that it is in.'),
    parent_id: z
      .uuid()
      .optional()
      .describe('Present if a subagent works in it: the thread above it. It is in no list.'),
    status: z
      .enum(['idle', 'running', 'waiting'])
      .describe('`waiting`: a gate is open, of the thread or of a subagent below it.'),
    waits_for_place: z
      .literal(true)
      .optional()
      .describe('Present while its turn waits for a replica with a free place.'),
    unread: z
      .literal(true)
      .optional()
      .describe('Present if an answer in a chat has ended since its owner last had the thread before them.'),
    compact_asked: z
      .literal(true)
      .optional()
      .describe('Present if its next turn begins with a summary of what was said before, as its owner asked.'),
    preview: z.string().describe('The beginning of the newest message. May be empty.'),
    channel: z
      .enum(['chat', 'api', 'webhook', 'mission'])
      .describe('Where it began. Threads of chat platforms count as chat.'),
    model: z
      .string()
      .nullable()
      .describe('The model that its newest turn requested. The next message uses it too; null is the default model.'),
    assistant: z
      .string()
      .nullable()
      .describe('The assistant of its newest turn. The next message is for it too; null is the usual agent.'),
    usage: spent.describe('The usage of its finished turns.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('When its newest turn was accepted.'),
  })
  .meta({ id: 'Thread' });

export const renderThread = (listing: ThreadListing): z.infer<typeof thread> =>
  renderAs(thread, listing, {
    title: listing.title ?? listing.generatedTitle ?? listing.opening,
    renamed: listing.title !== null,
    network: listing.network ? true : undefined,
    temporary: listing.temporary ? true : undefined,
    parent_id: listing.parentId ?? undefined,
    waits_for_place: listing.waitsForPlace ? true : undefined,
    unread: listing.unread ? true : undefined,
    compact_asked: listing.compactAsked ? true : undefined,
    channel: renderChannel(listing.channel),
    usage: renderUsage(listing.usage),
  });

/** Channels as people know them, with the channels of a turn. */
export const CHANNELS = {
  chat: ['gateway', ...CHAT_CHANNELS],
  api: ['responses', 'chat-completions'],
  webhook: ['webhook'],
  mission: ['mission'],
} as const satisfies Record<string, readonly Channel[]>;

function renderChannel(channel: Channel): keyof typeof CHANNELS {
  if (channel === 'webhook' || channel === 'mission') return channel;
  return channel === 'gateway' || isChatChannel(channel) ? 'chat' : 'api';
}

/** The `{id}` of every route about one thread. */
export const threadParams = z.object({ id: uuid<ThreadId>('This thread does not exist.') });
