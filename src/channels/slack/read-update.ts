import { z } from 'zod';
import type { ChatFile, Incoming, PassedOn } from '#agent/chats/chat-port.ts';
import type { ChatAccount, NewUpdate } from '#domain/chat/chat.ts';
import { cleanMediaType } from '#domain/text/media-type.ts';
import { mentions, readText } from './read-text.ts';

const id = z.string().min(1).max(64);
/** Seconds and a running number, such as `1355517523.000005`: the id of a message in its channel. */
const stamp = z.string().regex(/^\d{9,11}\.\d{6}$/);

const message = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.string().optional(),
  channel: id,
  user: id.optional(),
  bot_id: z.string().optional(),
  // Of the sender. They differ from the workspace of the event for people of other workspaces.
  team: id.optional(),
  user_team: id.optional(),
  source_team: id.optional(),
  text: z.string().default(''),
  ts: stamp,
  thread_ts: stamp.optional(),
  files: z
    .array(
      z.object({
        name: z.string().nullish(),
        mimetype: z.string().optional(),
        size: z.int().optional(),
        url_private_download: z.string().max(2000).optional(),
      }),
    )
    .optional(),
  attachments: z
    .array(
      z.object({
        text: z.string().optional(),
        is_share: z.boolean().optional(),
        is_msg_unfurl: z.boolean().optional(),
      }),
    )
    .optional(),
});

const event = z.object({ type: z.literal('event_callback'), team_id: id, event: message });

const press = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id }),
  user: z.object({ id, team_id: id.optional(), username: z.string().optional(), name: z.string().optional() }),
  trigger_id: z.string().min(1).max(200),
  container: z.object({ message_ts: stamp, channel_id: id, thread_ts: stamp.optional() }),
  actions: z.tuple([z.object({ type: z.literal('button'), value: z.string().max(2000), action_ts: stamp })]),
});

const command = z.object({
  command: z.string().regex(/^\/\S{1,100}$/),
  text: z.string().default(''),
  team_id: id,
  user_id: id,
  user_name: z.string().optional(),
  channel_id: id,
  trigger_id: z.string().min(1).max(200),
});

const update = z.union([event, press, command]);

type Message = z.infer<typeof message>;
type Press = z.infer<typeof press>;
type SlashCommand = z.infer<typeof command>;

const COMMANDS = new Set(['new', 'stop', 'status', 'help', 'start', 'pair', 'unlink']);
/** Commands that must not wait behind messages which can't be accepted yet. */
const URGENT = /^\s*(?:<@[^<>]*>\s*)?\/(?:stop|status)\b/;
/** What a person writes. All other kinds are changes, or the words of programs. */
const WRITTEN = new Set([undefined, 'file_share', 'thread_broadcast']);

/**
 * Messages, presses of buttons and slash commands. A mention arrives twice, as `message` and as `app_mention` with different event
 * ids, so the id of a message is its channel and `ts`. A repeated event has the same ones.
 */
export function fileUpdate(given: unknown): NewUpdate | undefined {
  const parsed = update.safeParse(given);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  if ('event' in data) {
    const { event: said, team_id: team } = data;
    const isWritten = said.user !== undefined && said.bot_id === undefined && WRITTEN.has(said.subtype);
    // Most messages of channels are not for the bot; they are not even stored.
    if (!isWritten || (isGroup(said.channel) && !said.text.includes('<@'))) return undefined;
    return {
      remoteId: `m:${said.channel}:${said.ts}`,
      lane: `${chatOf(said)}${URGENT.test(said.text) ? '!' : ''}`,
      position: positionOf(said.ts),
      sender: personIn(said, team)?.id ?? null,
      body: given,
    };
  }
  if ('actions' in data)
    return {
      remoteId: `p:${data.trigger_id}`,
      lane: `${placeOf(data)}!`,
      position: positionOf(data.actions[0].action_ts),
      sender: presserOf(data)?.id ?? null,
      body: given,
    };
  const { name } = readCommand(data);
  return {
    remoteId: `c:${data.trigger_id}`,
    lane: `${data.channel_id}${name === 'stop' || name === 'status' ? '!' : ''}`,
    position: Date.now() * 1000,
    sender: data.user_id,
    body: given,
  };
}

export function readUpdate(given: unknown, account: ChatAccount): Incoming | undefined {
  const parsed = update.safeParse(given);
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const [team, self = ''] = account.remoteId.split(':');
  if ('event' in data) return data.team_id === team ? readMessage(data.event, team, self) : undefined;
  if ('actions' in data) return data.team.id === team ? readPress(data) : undefined;
  return data.team_id === team ? readSlashCommand(data) : undefined;
}

function readMessage(said: Message, team: string, self: string): Incoming | undefined {
  if (said.user === self) return undefined;
  const sender = personIn(said, team);
  const isAddressed = mentions(said.text, self);
  const isForUs = isAddressed || !isGroup(said.channel);
  const refusal = sender === null && isForUs ? 'The sender belongs to another workspace.' : undefined;
  const where = { sender, chat: chatOf(said), isGroup: isGroup(said.channel), refusal };
  const own = readText(said.text, self);
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(own) ?? [];
  if (COMMANDS.has(name.toLowerCase()))
    return { ...where, kind: 'command', name: name.toLowerCase(), argument: argument.trim(), isAddressed };
  const files = filesIn(said);
  const byOthers = sharedIn(said, self);
  if (own === '' && byOthers.length === 0 && files.length === 0) return undefined;
  return { ...where, kind: 'message', text: own, byOthers, files, isAddressed };
}

/** Messages of others that the sender shares, or links to. */
function sharedIn({ attachments = [] }: Message, self: string): PassedOn[] {
  return attachments
    .filter(({ is_share: isShared, is_msg_unfurl: isLinked }) => isShared || isLinked)
    .map(({ text = '' }) => ({ text: readText(text, self), source: 'shared' as const }))
    .filter(({ text }) => text !== '');
}

function readPress(pressed: Press): Incoming {
  const chat = placeOf(pressed);
  return {
    kind: 'press',
    sender: presserOf(pressed),
    chat,
    isGroup: isGroup(pressed.container.channel_id),
    press: `${chat} ${pressed.user.id}`,
    data: pressed.actions[0].value,
    remoteId: pressed.container.message_ts,
  };
}

function readSlashCommand(given: SlashCommand): Incoming {
  const { name, argument } = readCommand(given);
  const sender = { id: given.user_id, name: nameOf(given.user_name, given.user_id) };
  const chat = given.channel_id;
  return { kind: 'command', sender, chat, isGroup: isGroup(chat), name, argument, isAddressed: true };
}

/** `/stop`, or `/reborn stop` where the name is taken by another app. */
function readCommand({ command: given, text }: SlashCommand): { readonly name: string; readonly argument: string } {
  const name = given.slice(1).toLowerCase();
  if (COMMANDS.has(name)) return { name, argument: text.trim() };
  const [, first = '', rest = ''] = /^\s*\/?(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  return { name: COMMANDS.has(first.toLowerCase()) ? first.toLowerCase() : 'help', argument: rest.trim() };
}

/** People of other workspaces, who share a channel with this one, are not known here. */
function personIn({ user, user_team: own, source_team: source, team }: Message, workspace: string): Incoming['sender'] {
  const home = own ?? source ?? team ?? workspace;
  return user !== undefined && home === workspace ? { id: user, name: user } : null;
}

const presserOf = ({ user, team }: Press): Incoming['sender'] =>
  (user.team_id ?? team.id) === team.id ? { id: user.id, name: nameOf(user.username ?? user.name, user.id) } : null;

const nameOf = (name: string | undefined, otherwise: string) => (name ? `@${name}` : otherwise);

/** The ids of direct messages begin with D. */
const isGroup = (channel: string) => !channel.startsWith('D');

/** A chat is a thread, `CHANNEL/TS`; in direct messages also what is written outside of threads, `CHANNEL`. */
function chatOf({ channel, ts, thread_ts: thread }: Message): string {
  const root = thread ?? (isGroup(channel) ? ts : undefined);
  return root === undefined ? channel : `${channel}/${root}`;
}

const placeOf = ({ container: { channel_id: channel, thread_ts: thread } }: Press) =>
  thread === undefined ? channel : `${channel}/${thread}`;

const positionOf = (ts: string) => Number(ts.replace('.', ''));

function filesIn({ files = [] }: Message): ChatFile[] {
  return files.map((file) => ({
    id: file.url_private_download ?? '',
    mediaType: cleanMediaType(file.mimetype),
    name: file.name?.slice(0, 255) ?? null,
    bytes: file.size ?? null,
  }));
}
