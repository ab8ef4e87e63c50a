import type { ShownFile } from '../chats/chat-server.ts';
import type { BotApi, Shown } from './bot-api.ts';
import { BOT } from './bot-api.ts';

type Chat = { readonly id: number; readonly type: 'private' | 'group' };
export type Said = { readonly text: string; readonly chat?: Chat; readonly more?: Record<string, unknown> };

/** Someone with a Telegram account. */
export function createPerson(id: number, name: string) {
  const from = { id, is_bot: false, first_name: name, username: name.toLowerCase() };
  const home: Chat = { id, type: 'private' };
  let messageId = 1_000_000;

  const message = ({ text, chat = home, more = {} }: Said) => ({
    message: {
      message_id: messageId++,
      date: 0,
      from,
      chat,
      ...(text && { text, entities: entitiesIn(text) }),
      ...more,
    },
  });
  return {
    id,
    from,
    message,
    say: (api: BotApi, said: string | Said) => api.push(message(typeof said === 'string' ? { text: said } : said)),
    sendFile(api: BotApi, file: ShownFile, words: string) {
      const place = `documents/${file.name}`;
      api.files.set(place, file.bytes);
      const document = {
        file_id: place,
        mime_type: file.mediaType,
        file_name: file.name,
        file_size: file.bytes.length,
      };
      return api.push(message({ text: '', more: { caption: words, document } }));
    },
    press: (api: BotApi, shown: Shown, data: string, type: Chat['type'] = 'private') =>
      api.push({
        callback_query: {
          id: `press-${messageId++}`,
          from,
          data,
          message: { message_id: shown.id, date: 0, chat: { id: shown.chat, type } },
        },
      }),
  };
}

function entitiesIn(text: string) {
  const command = /^\/\w+(?:@\w+)?/.exec(text)?.[0];
  const mention = text.indexOf(`@${BOT.username}`);
  return [
    ...(command ? [{ type: 'bot_command', offset: 0, length: command.length }] : []),
    ...(!command && mention >= 0 ? [{ type: 'mention', offset: mention, length: BOT.username.length + 1 }] : []),
  ];
}
