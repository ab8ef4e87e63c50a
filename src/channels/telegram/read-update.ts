import { z } from 'zod';
import type { ChatFile, Incoming, PassedOn } from '#agent/chats/chat-port.ts';
import type { ChatAccount, NewUpdate } from '#domain/chat/chat.ts';
import { cleanMediaType } from '#domain/text/media-type.ts';

const id = z.int();
const person = z.object({
  id,
  is_bot: z.boolean(),
  first_name: z.string().default(''),
  username: z.string().optional(),
});
const entity = z.object({ type: z.string(), offset: z.int(), length: z.int() });
const chat = z.object({ id, type: z.enum(['private', 'group', 'supergroup', 'channel']) });

const message = z.object({
  message_id: id,
  message_thread_id: id.optional(),
  is_topic_message: z.boolean().optional(),
  from: person.optional(),
  sender_chat: z.object({ id }).optional(),
  chat,
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entity).optional(),
  caption_entities: z.array(entity).optional(),
  forward_origin: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  reply_to_message: z
    .object({ from: person.optional(), text: z.string().optional(), caption: z.string().optional() })
    .optional(),
  quote: z.object({ text: z.string() }).optional(),
  photo: z.array(z.object({ file_id: z.string(), file_size: z.int().optional() })).optional(),
  document: z
    .object({
      file_id: z.string(),
      file_name: z.string().optional(),
      mime_type: z.string().optional(),
      file_size: z.int().optional(),
    })
    .optional(),
});

const update = z.object({
  update_id: id,
  message: message.optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: person,
      data: z.string().optional(),
      message: z
        .object({ message_id: id, message_thread_id: id.optional(), is_topic_message: z.boolean().optional(), chat })
        .optional(),
    })
    .optional(),
});

type Message = z.infer<typeof message>;

/** Commands that must not wait behind messages which can't be accepted yet. */
const URGENT = /^\/(stop|status)\b/;

/** Messages and presses of buttons. Edited messages are not: they would run twice. */
export function fileUpdate(given: unknown): NewUpdate | undefined {
  const parsed = update.safeParse(given);
  if (!parsed.success) return undefined;
  const { update_id: number, message: said, callback_query: pressed } = parsed.data;
  const where = said ?? pressed?.message;
  if (!where) return undefined;
  const isUrgent = pressed !== undefined || URGENT.test(said?.text ?? '');
  const sender = said ? personIn(said) : pressed && toPerson(pressed.from);
  return {
    remoteId: String(number),
    lane: `${chatOf(where)}${isUrgent ? '!' : ''}`,
    position: number,
    sender: sender?.id ?? null,
    body: given,
  };
}

export function readUpdate(given: unknown, account: ChatAccount): Incoming | undefined {
  const parsed = update.safeParse(given);
  if (!parsed.success) return undefined;
  const { message: said, callback_query: pressed } = parsed.data;
  if (said) return readMessage(said, account);
  if (!pressed?.message || pressed.data === undefined) return undefined;
  return {
    kind: 'press',
    sender: toPerson(pressed.from),
    chat: chatOf(pressed.message),
    isGroup: pressed.message.chat.type !== 'private',
    press: pressed.id,
    data: pressed.data,
    remoteId: String(pressed.message.message_id),
  };
}

function readMessage(said: Message, account: ChatAccount): Incoming | undefined {
  if (said.chat.type === 'channel') return undefined;
  const isGroup = said.chat.type !== 'private';
  const replyTo = isGroup ? String(said.message_id) : undefined;
  const where = { sender: personIn(said), chat: chatOf(said), isGroup, replyTo };
  const words = said.text ?? said.caption ?? '';
  const isForwarded = said.forward_origin !== undefined || said.via_bot !== undefined;
  const isReply = String(said.reply_to_message?.from?.id ?? '') === account.remoteId;

  const command = isForwarded ? undefined : commandIn(said, words);
  if (command) {
    if (command.bot !== undefined && !isSameName(command.bot, account.name)) return undefined;
    const isAddressed = command.bot !== undefined || isReply;
    return { ...where, kind: 'command', name: command.name, argument: command.argument, isAddressed };
  }
  const mentions = mentionsOf(said, words, account.name);
  const files = filesIn(said);
  const text = withoutRanges(words, isGroup ? mentions : []).trim();
  if (text === '' && files.length === 0) return undefined;
  const isAddressed = isReply || mentions.length > 0;
  const forwarded: PassedOn[] = isForwarded ? [{ text, source: 'forwarded' }] : [];
  const byOthers = [...forwarded, ...quotedIn(said, isReply)];
  return { ...where, kind: 'message', text: isForwarded ? '' : text, byOthers, files, isAddressed };
}

/** What the message answers: the part that the sender chose, or all of it. The thread has what the bot said. */
function quotedIn({ quote, reply_to_message: answered }: Message, isReply: boolean): PassedOn[] {
  const text = quote?.text ?? (isReply ? undefined : (answered?.text ?? answered?.caption));
  return text === undefined ? [] : [{ text, source: 'quoted' }];
}

/** Anonymous administrators and channels write under a made-up `from`, which is not a person. */
function personIn({ from, sender_chat: alias }: Message): Incoming['sender'] {
  return from && !alias ? toPerson(from) : null;
}

/** The id stays; names can be changed and reused. */
function toPerson({
  id: number,
  is_bot: isBot,
  first_name: first,
  username,
}: z.infer<typeof person>): Incoming['sender'] {
  return isBot ? null : { id: String(number), name: username ? `@${username}` : first };
}

type Place = Pick<Message, 'chat' | 'message_thread_id' | 'is_topic_message'>;

const chatOf = ({ chat: { id: number }, message_thread_id: topic, is_topic_message: isTopic }: Place) =>
  isTopic && topic !== undefined ? `${number}/${topic}` : String(number);

function commandIn(said: Message, words: string) {
  const first = (said.entities ?? said.caption_entities ?? []).find(
    ({ type, offset }) => type === 'bot_command' && offset === 0,
  );
  if (!first) return undefined;
  const [name = '', bot] = words.slice(1, first.length).split('@');
  return { name: name.toLowerCase(), bot, argument: words.slice(first.length).trim() };
}

type Range = { readonly from: number; readonly to: number };

function mentionsOf(said: Message, words: string, name: string): Range[] {
  return (said.entities ?? said.caption_entities ?? [])
    .filter(({ type }) => type === 'mention')
    .map(({ offset, length }) => ({ from: offset, to: offset + length }))
    .filter(({ from, to }) => isSameName(words.slice(from + 1, to), name));
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const withoutRanges = (words: string, ranges: readonly Range[]) =>
  ranges.toReversed().reduce((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), words);

/** Of a picture, the largest size. */
function filesIn({ photo, document }: Message): ChatFile[] {
  const picture = photo?.at(-1);
  return [
    ...(picture
      ? [{ id: picture.file_id, mediaType: 'image/jpeg', name: null, bytes: picture.file_size ?? null }]
      : []),
    ...(document
      ? [
          {
            id: document.file_id,
            mediaType: cleanMediaType(document.mime_type),
            name: document.file_name?.slice(0, 255) ?? null,
            bytes: document.file_size ?? null,
          },
        ]
      : []),
  ];
}
