import { Conflict, NotFound } from '#domain/errors.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { findChatThread, leaveChatThread } from '#store/chats/messages.ts';
import { type OwnedTransaction, withOwner } from '#store/connection.ts';
import type { UpdateEnd } from '#store/system/chats.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { lockThread } from '#store/threads/threads.ts';
import { listQueued } from '#store/threads/turns.ts';
import { chooseAssistant } from './choose-assistant.ts';
import { handleMessage } from './handle-message.ts';
import { DONE, type HandledUpdate, type HandlerParts, placeOf, say } from './handled-update.ts';

type Command = HandledUpdate<'command'>;

/** A command that is unknown here is a message. */
export async function handleCommand(parts: HandlerParts, command: Command): Promise<UpdateEnd> {
  const { incoming } = command;
  const answer = await answerCommand(parts, command);
  if (answer === undefined) {
    const text = `/${incoming.name} ${incoming.argument}`.trimEnd();
    const message = { ...incoming, kind: 'message', text, byOthers: [], files: [] } as const;
    return handleMessage(parts, { ...command, incoming: message });
  }
  await say(parts, command, answer);
  if (incoming.name === 'unlink')
    await parts.linking.unlink(command.owner, {
      accountId: command.update.accountId,
      sender: incoming.sender?.id ?? '',
    });
  return DONE;
}

/** Follows a command. Returns what to say; undefined for unknown ones. */
async function answerCommand(parts: HandlerParts, command: Command): Promise<string | undefined> {
  const { owner } = command;
  switch (command.incoming.name) {
    case 'new':
      await withOwner(parts.db, owner, (trx) => leaveChatThread(trx, owner, placeOf(command)));
      return 'Your next message starts a new conversation.';
    case 'agent':
      return chooseAssistant(parts, command);
    case 'stop':
      return (await stopTurns(parts, command)) ? 'Stopped.' : 'Nothing is running.';
    case 'status':
      return `${await describeStatus(parts, command)} ${await connectedTo(parts, owner)}`;
    case 'compact':
      return askForSummary(parts, command);
    case 'unlink':
      return `This chat is no longer connected to ${await accountOf(parts, owner)}. ${LINK_AGAIN}`;
    case 'start':
    case 'help':
      return HELP;
    default:
      return undefined;
  }
}

async function stopTurns({ db, agent }: HandlerParts, command: Command): Promise<boolean> {
  const { owner } = command;
  const { threadId, open } = await withOwner(db, owner, async (trx) => {
    const id = await findChatThread(trx, owner, placeOf(command));
    return { threadId: id, open: id ? await listOpen(trx, owner, id) : [] };
  });
  if (!threadId) return false;
  for (const turnId of open.toReversed())
    await agent.cancelTurn(owner, { threadId, turnId }, 'cancelled').catch(ignoreMissing);
  return open.length > 0;
}

/** The turn at an open gate, and the turns of a thread that have not ended, in order. */
async function listOpen(trx: OwnedTransaction, owner: Principal, threadId: ThreadId): Promise<TurnId[]> {
  const thread = await lockThread(trx, owner, threadId);
  const gate = await findOpenGate(trx, owner, threadId);
  const queued = await listQueued(trx, owner, threadId);
  return [...(gate ? [gate.turnId] : []), ...(thread?.active ? [thread.active] : []), ...queued.map(({ id }) => id)];
}

async function askForSummary({ db, askToCompact }: HandlerParts, command: Command): Promise<string> {
  const { owner, incoming } = command;
  const threadId = await withOwner(db, owner, (trx) => findChatThread(trx, owner, placeOf(command)));
  if (!threadId) return NO_CONVERSATION;
  const asks = incoming.argument.trim().toLowerCase() !== 'off';
  try {
    await askToCompact(owner, threadId, asks);
  } catch (error) {
    if (error instanceof NotFound) return NO_CONVERSATION;
    if (error instanceof Conflict) return error.message;
    throw error;
  }
  return asks
    ? 'Your next message begins with a summary of what was said before.'
    : 'Your next message begins without a summary.';
}

const NO_CONVERSATION = 'No conversation yet. Send a message to start one.';

function describeStatus({ db }: HandlerParts, command: Command): Promise<string> {
  const { owner } = command;
  return withOwner(db, owner, async (trx) => {
    const threadId = await findChatThread(trx, owner, placeOf(command));
    const thread = threadId && (await findThread(trx, owner, threadId));
    if (!thread) return NO_CONVERSATION;
    if (thread.status === 'idle') return 'Nothing is running. Send a message to continue.';
    const waiting = (await listQueued(trx, owner, thread.id)).length;
    if (thread.status === 'waiting')
      return `I wait for an answer.${waiting > 0 ? ` Messages that are read after it: ${waiting}.` : ''}`;
    return `One message is being answered.${waiting > 0 ? ` ${waiting} more wait.` : ''}`;
  });
}

export async function connectedTo(parts: Pick<HandlerParts, 'findName'>, owner: Principal): Promise<string> {
  return `This chat is connected to ${await accountOf(parts, owner)}.`;
}

/** Always by name: a person may have followed a link of someone else. */
async function accountOf({ findName }: Pick<HandlerParts, 'findName'>, owner: Principal): Promise<string> {
  const name = (await findName(owner)) ?? owner.userId;
  return `the account of ${name.replaceAll(/[\\`*_~[\]<>|\n]/g, '')}`;
}

const LINK_AGAIN = 'To connect an account, get a code in the web app, under Settings.';
const HELP = [
  'Send a message, with pictures or files if you like, and I answer here.',
  '/new starts a new conversation.',
  '/agent shows or chooses the assistant that answers here.',
  '/stop stops the current answer.',
  '/status shows what is running, and whose account it is.',
  '/compact lets the next answer begin with a summary of what was said before; /compact off takes it back.',
  '/unlink disconnects this chat from the account.',
].join('\n');

function ignoreMissing(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
