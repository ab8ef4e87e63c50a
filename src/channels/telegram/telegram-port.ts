import type { ChatPort, Transport } from '#agent/chats/chat-port.ts';
import { splitMarkdown } from '../chat-text/split-markdown.ts';
import { connectTelegram } from './connect.ts';
import { fileUpdate, readUpdate } from './read-update.ts';

/** Below the limit of 4,096 UTF-16 units, because rendering can add a few. */
const MOST = 3400;

/** Telegram, by its Bot API. The credentials are the token of a bot. */
export function createTelegramPort(transport: Transport): ChatPort {
  return {
    style: 'chat',
    modes: ['polling', 'webhook'],
    credentialsIn: 'token',
    connect: (token) => connectTelegram(token, transport),
    file: fileUpdate,
    read: readUpdate,
    split: (markdown) => splitMarkdown(markdown, MOST),
    // For documents. Larger photos than 10 MB become documents.
    mostFileBytes: 50_000_000,
    linkFor: ({ name }, code) => `https://t.me/${name}?start=${code}`,
  };
}
