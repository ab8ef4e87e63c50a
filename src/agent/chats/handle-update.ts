import type { ChatPlace } from '#domain/chat/chat.ts';
import { isChatChannel } from '#domain/chat/chat-channel.ts';
import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ChatAccountId, newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { type ContentPart, text, textByOthers } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { deleteChatThread, findChatThread, putChatThread } from '#store/chats/messages.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { emit } from '#store/notifications/outbox.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import type { StoredUpdate, UpdateEnd } from '#store/system/chats.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { lockThread } from '#store/threads/threads.ts';
import { listQueued } from '#store/threads/turns.ts';
import type { Agent } from '../agent.ts';
import { ChatFailed, type Incoming } from './chat-port.ts';
import type { Connections, OpenAccount } from './connections.ts';
import { answerPress, describeDecision } from './gate-buttons.ts';
import { isCode, type Linking } from './linking.ts';
import type { LiveReplies } from './live-replies.ts';

export type HandlerParts = {
  readonly db: Database;
  readonly agent: Agent;
  readonly connections: Connections;
  readonly linking: Linking;
  readonly live: LiveReplies;
  /** How many messages a person may send, as in the other channels. */
  readonly sendsPerMinute: number;
  readonly onRefused: (accountId: ChatAccountId, refusal: string) => void;
  readonly findName: (user: Principal) => Promise<string | undefined>;
};

type Call<Kind extends Incoming['kind'] = Incoming['kind']> = OpenAccount & {
  readonly update: StoredUpdate;
  readonly owner: Principal;
  readonly incoming: Extract<Incoming, { kind: Kind }>;
};

const DONE: UpdateEnd = { state: 'done' };
const MOST_FILES = 10;
const MOST_BYTES = 9 * 1024 * 1024;

/** Decides what an update leads to. It may be called again for the same update, after a crash: each effect happens once. */
export function createUpdateHandler(parts: HandlerParts) {
  const { db, agent, connections, linking, live } = parts;

  return async (update: StoredUpdate): Promise<UpdateEnd> => {
    const opened = await connections.open(update.accountId);
    const incoming = opened?.port.read(update.body, opened.account);
    if (incoming?.refusal !== undefined) {
      parts.onRefused(update.accountId, incoming.refusal);
      return { state: 'done', refusal: incoming.refusal };
    }
    if (!opened || !incoming?.sender || !isForUs(incoming, opened)) return DONE;
    const code = incoming.isGroup ? undefined : codeIn(incoming);
    if (code !== undefined && !(update.userId !== null && incoming.kind === 'message')) {
      const linked = await linking.redeem({ ...opened, update, code, incoming });
      if (linked) await sayLinked(update, { userId: linked, role: 'member' }, incoming);
      return DONE;
    }
    if (update.userId === null) {
      await linking.turnAway({ ...opened, incoming });
      return DONE;
    }
    // Always a member: from a chat, no one acts for other users.
    const call = { ...opened, update, owner: { userId: update.userId, role: 'member' as const } };
    switch (incoming.kind) {
      case 'press':
        return handlePress({ ...call, incoming });
      case 'command':
        return handleCommand({ ...call, incoming });
      case 'message':
        return handleMessage({ ...call, incoming });
    }
  };

  async function handlePress({ owner, connection, incoming, update }: Call<'press'>): Promise<UpdateEnd> {
    const { decision, turn, tool = '' } = await answerPress(agent, owner, incoming.data);
    // Neither matters enough to press the button a second time.
    await connection
      .answerPress(incoming.press, describeDecision(decision), decision !== 'stale')
      .catch(ignoreChatFailure);
    // A press that counts for nothing leaves the message as it is: it may be someone else's question.
    if (decision !== 'stale')
      await connection
        .edit?.(incoming.chat, incoming.remoteId, { markdown: `${describeDecision(decision)} (${tool})` })
        .catch(ignoreChatFailure);
    if (turn && isChatChannel(turn.channel)) live.follow(owner, placeOf(update, incoming), turn);
    return { state: 'done', turnId: turn?.id };
  }

  async function handleCommand(call: Call<'command'>): Promise<UpdateEnd> {
    const { owner, incoming, update } = call;
    const place = placeOf(update, incoming);
    switch (incoming.name) {
      case 'new':
        await withOwner(db, owner, (trx) => deleteChatThread(trx, owner, place));
        await say(update, owner, place, 'Your next message starts a new conversation.');
        return DONE;
      case 'stop':
        await say(update, owner, place, (await stopTurns(owner, place)) ? 'Stopped.' : 'Nothing is running.');
        return DONE;
      case 'status':
        await say(update, owner, place, `${await describeStatus(owner, place)} ${await connectedTo(owner)}`);
        return DONE;
      case 'unlink':
        await say(update, owner, place, `This chat is no longer connected to ${await accountOf(owner)}. ${LINK_AGAIN}`);
        await linking.unlink(owner, { accountId: update.accountId, sender: incoming.sender?.id ?? '' });
        return DONE;
      case 'start':
      case 'help':
        await say(update, owner, place, HELP);
        return DONE;
      default: {
        const said = `/${incoming.name} ${incoming.argument}`.trimEnd();
        const message = {
          ...incoming,
          kind: 'message',
          text: said,
          byOthers: [],
          files: [],
        } as const;
        return handleMessage({ ...call, incoming: message });
      }
    }
  }

  async function handleMessage(call: Call<'message'>): Promise<UpdateEnd> {
    const { owner, incoming, update } = call;
    const rate = { limit: parts.sendsPerMinute, windowSeconds: 60 };
    const use = await takeUse(db, `${rate.limit}/60:chat:${owner.userId}`, rate);
    if (!use.isAllowed) return { state: 'new', waitSeconds: use.retryInSeconds, error: 'The person sends too fast.' };

    const content = await readContent(call);
    if (content.length === 0) return DONE;
    const place = placeOf(update, incoming);
    const known = await withOwner(db, owner, (trx) => findChatThread(trx, owner, place));
    const started = await start(call, place, content, known);
    if ('state' in started) return started;
    await withOwner(db, owner, (trx) => putChatThread(trx, owner, place, started.threadId));
    live.follow(owner, place, started);
    return { state: 'done', turnId: started.id };
  }

  /** The id of the update is the idempotency key: an update starts one turn, however often it is handled. */
  async function start(
    call: Call<'message'>,
    place: ChatPlace,
    content: readonly ContentPart[],
    threadId: ThreadId | undefined,
  ): Promise<Turn | UpdateEnd> {
    const { owner, update, account } = call;
    try {
      const { turn } = await agent.startTurn(owner, {
        threadId,
        unknownThread: 'not-found',
        channel: account.channel,
        items: [{ id: newId(), type: 'message', role: 'user', content, status: 'completed' }],
        tools: undefined,
        startsThread: threadId === undefined,
        request: { model: null, temperature: null, echo: { chat: place } },
        idempotency: { key: `chat:${update.id}`, digest: update.id, isLasting: true },
      });
      return turn;
    } catch (error) {
      const isLost = error instanceof NotFound || (error instanceof Conflict && error.code === 'thread_full');
      if (isLost && threadId !== undefined) return start(call, place, content, undefined);
      if (error instanceof Conflict && error.code === 'thread_busy')
        return { state: 'new', waitSeconds: BUSY_SECONDS, error: error.message };
      if (error instanceof Conflict) return DONE; // its turn was deleted
      if (!(error instanceof InvalidRequest)) throw error;
      await say(update, owner, place, error.message);
      return DONE;
    }
  }

  async function stopTurns(owner: Principal, place: ChatPlace): Promise<boolean> {
    const threadId = await withOwner(db, owner, (trx) => findChatThread(trx, owner, place));
    const open = threadId ? await listOpen(owner, threadId) : [];
    for (const turnId of open.toReversed())
      if (threadId) await agent.cancelTurn(owner, { threadId, turnId }, 'cancelled').catch(ignoreMissing);
    return open.length > 0;
  }

  async function describeStatus(owner: Principal, place: ChatPlace): Promise<string> {
    const threadId = await withOwner(db, owner, (trx) => findChatThread(trx, owner, place));
    if (!threadId) return 'There is no conversation yet. Send a message to start one.';
    const open = await listOpen(owner, threadId);
    const isAsked = await withOwner(db, owner, (trx) => findOpenGate(trx, owner, threadId));
    if (isAsked)
      return `I wait for an answer.${open.length > 0 ? ` Messages that are read after it: ${open.length}.` : ''}`;
    if (open.length === 0) return 'Nothing is running. Send a message to continue.';
    return `One message is being answered.${open.length > 1 ? ` ${open.length - 1} more wait.` : ''}`;
  }

  async function sayLinked(update: StoredUpdate, owner: Principal, incoming: Incoming): Promise<void> {
    await say(update, owner, placeOf(update, incoming), `${await connectedTo(owner)} ${LINKED}`);
  }

  /** Always by name: a person may have followed a link of someone else. */
  async function accountOf(owner: Principal): Promise<string> {
    const name = (await parts.findName(owner)) ?? owner.userId;
    return `the account of ${name.replaceAll(/[\\`*_~[\]<>|\n]/g, '')}`;
  }

  async function connectedTo(owner: Principal): Promise<string> {
    return `This chat is connected to ${await accountOf(owner)}.`;
  }

  /** The turns of a thread that have not ended, in order. */
  function listOpen(owner: Principal, threadId: ThreadId): Promise<TurnId[]> {
    return withOwner(db, owner, async (trx) => {
      const thread = await lockThread(trx, owner, threadId);
      const queued = await listQueued(trx, owner, threadId);
      return [...(thread?.active ? [thread.active] : []), ...queued.map(({ id }) => id)];
    });
  }

  /** A delivery answers, so that the words arrive once and survive a crash. */
  async function say(update: StoredUpdate, owner: Principal, place: ChatPlace, words: string): Promise<void> {
    const data = { ...place, type: 'chat.post', userId: owner.userId, shows: 'text', text: words } as const;
    await withOwner(db, owner, (trx) => emit(trx, owner, { type: 'chat.post', subject: update.id, data }));
  }
}

const BUSY_SECONDS = 2;
const MOST_CODE_LINES = 5;
const LINKED = 'Send a message to start. /help lists the commands. To connect another account, send /unlink first.';
const LINK_AGAIN = 'To connect an account, get a code in the web app, under Settings.';
const HELP = [
  'Send a message, with pictures or files if you like, and I answer here.',
  '/new starts a new conversation.',
  '/stop stops the current answer.',
  '/status shows what is running, and whose account it is.',
  '/unlink disconnects this chat from the account.',
].join('\n');

/** In a group, only what is addressed to the account counts, and only if the operator allows groups. */
function isForUs(incoming: Incoming, { account }: OpenAccount): boolean {
  if (!incoming.isGroup) return true;
  return account.groups && (incoming.kind === 'press' || incoming.isAddressed);
}

/** A code may be followed by a signature. */
function codeIn(incoming: Incoming): string | undefined {
  if (incoming.kind === 'command')
    return ['start', 'pair'].includes(incoming.name) && isCode(incoming.argument) ? incoming.argument : undefined;
  if (incoming.kind !== 'message') return undefined;
  return incoming.text.split('\n', MOST_CODE_LINES).find(isCode);
}

function placeOf({ accountId }: StoredUpdate, { chat, replyTo }: Incoming): ChatPlace {
  return { accountId, chat, ...(replyTo !== undefined && { replyTo }) };
}

async function readContent({ connection, incoming }: Call<'message'>): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  const notes: string[] = [];
  for (const file of incoming.files.slice(0, MOST_FILES)) {
    const name = file.name ?? 'a file';
    if ((file.bytes ?? 0) > MOST_BYTES) {
      notes.push(`[${name} is larger than 9 MiB and was left out.]`);
      continue;
    }
    const bytes = await connection.download(file).catch((error: unknown) => {
      if (error instanceof ChatFailed && error.result.outcome === 'refused') return undefined;
      throw error;
    });
    if (!bytes || bytes.length === 0) notes.push(`[${name} could not be read.]`);
    else parts.push(toPart(file, Buffer.from(bytes).toString('base64')));
  }
  const passedOn = incoming.byOthers.filter(({ text: words }) => words.trim() !== '');
  return [
    ...(incoming.text.trim() === '' ? [] : [text(incoming.text)]),
    ...passedOn.map(({ text: words, source }) => textByOthers(words, source)),
    // The names of files are not the sender's words.
    ...(notes.length > 0 ? [textByOthers(notes.join('\n'), 'files')] : []),
    ...parts,
  ];
}

function toPart({ mediaType, name }: { mediaType: string; name: string | null }, base64: string): ContentPart {
  return mediaType.startsWith('image/')
    ? { type: 'image', mediaType, base64 }
    : { type: 'file', mediaType, base64, filename: name };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}

function ignoreChatFailure(error: unknown): void {
  if (!(error instanceof ChatFailed)) throw error;
}
