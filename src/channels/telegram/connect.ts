import type { ChatConnection, Received, Transport } from '#agent/chats/chat-port.ts';
import { type BotApi, createBotApi, POLL_SECONDS } from './bot-api.ts';
import { editMessage, sendMessage, showTyping } from './messages.ts';
import { fileUpdate } from './read-update.ts';

const UPDATES = ['message', 'callback_query'] as const;

/** A bot. */
export function connectTelegram(token: string, transport: Transport): ChatConnection {
  const api = createBotApi(token, transport);
  const { call } = api;
  return {
    identify: () =>
      call(async (bot) => {
        const { id, username } = await bot.getMe();
        return { remoteId: String(id), name: username };
      }),
    receive: (cursor, signal) => receive(api, cursor, signal),
    setAddress: (address) =>
      call(async (bot) => {
        if (!address) await bot.deleteWebhook();
        else
          await bot.setWebhook(address.url, {
            secret_token: address.secret,
            allowed_updates: [...UPDATES],
            max_connections: 4,
          });
      }),
    send: (chat, message) => sendMessage(call, chat, message),
    edit: (chat, remoteId, message) => editMessage(call, chat, remoteId, message),
    showTyping: (chat) => showTyping(call, chat),
    async answerPress(press, text) {
      await call((bot) => bot.answerCallbackQuery(press, { text: text.slice(0, 200) }));
    },
    download: ({ id }) => api.download(id),
  };
}

async function receive(api: BotApi, cursor: string | null, signal: AbortSignal): Promise<Received> {
  const offset = cursor === null ? undefined : Number(cursor);
  const asked = { timeout: POLL_SECONDS, allowed_updates: [...UPDATES], ...(offset !== undefined && { offset }) };
  return api.poll(signal, async (bot) => {
    const updates = await bot.getUpdates(asked);
    const last = updates.reduce((most, { update_id: id }) => Math.max(most, id), (offset ?? 0) - 1);
    return { updates: updates.flatMap((update) => fileUpdate(update) ?? []), cursor: String(last + 1) };
  });
}
