import type { ChatPort } from '#agent/chats/chat-port.ts';
import { connectTelegram, type Transport } from './connect.ts';
import { fileUpdate, readUpdate } from './read-update.ts';
import { splitMarkdown } from './split-markdown.ts';

/** Telegram, by its Bot API. The credentials are the token of a bot. */
export function createTelegramPort(transport: Transport): ChatPort {
  return {
    modes: ['polling', 'webhook'],
    connect: (token) => connectTelegram(token, transport),
    file: fileUpdate,
    read: readUpdate,
    split: splitMarkdown,
    linkFor: ({ name }, code) => `https://t.me/${name}?start=${code}`,
  };
}
