import { isChatChannel } from '#domain/chat/chat-channel.ts';
import type { StoredUpdate, UpdateEnd } from '#store/system/chats.ts';
import { type Incoming, ignoreChatFailure } from '../chat-port.ts';
import type { OpenAccount } from '../connections.ts';
import { answerPress, describeDecision } from '../outgoing/gate-buttons.ts';
import { connectedTo, handleCommand } from './handle-command.ts';
import { handleMessage } from './handle-message.ts';
import { DONE, type HandledUpdate, type HandlerParts, placeOf, say } from './handled-update.ts';
import { isCode } from './linking.ts';

/** Decides what an update leads to. It may be called again for the same update, after a crash: each effect happens once. */
export function createUpdateHandler(parts: HandlerParts): (update: StoredUpdate) => Promise<UpdateEnd> {
  return (update) => handleUpdate(parts, update);
}

async function handleUpdate(parts: HandlerParts, update: StoredUpdate): Promise<UpdateEnd> {
  const { connections, linking } = parts;
  const opened = await connections.open(update.accountId);
  const incoming = opened?.port.read(update.body, opened.account);
  if (incoming?.refusal !== undefined) {
    parts.onRefused(update.accountId, incoming.refusal);
    return { state: 'done', refusal: incoming.refusal };
  }
  if (!opened || !incoming?.sender || !isForUs(incoming, opened)) return DONE;
  const code = incoming.isGroup ? undefined : codeIn(incoming);
  if (code !== undefined && !(update.userId !== null && incoming.kind === 'message')) {
    const userId = await linking.redeem({ ...opened, update, code, incoming });
    if (userId) {
      const owner = { userId, role: 'member' } as const;
      await say(parts, { update, owner, incoming }, `${await connectedTo(parts, owner)} ${LINKED}`);
    }
    return DONE;
  }
  if (update.userId === null) {
    await linking.turnAway({ ...opened, incoming });
    return DONE;
  }
  // Always a member: from a chat, no one acts for other users.
  const handled = { ...opened, update, owner: { userId: update.userId, role: 'member' as const } };
  switch (incoming.kind) {
    case 'press':
      return handlePress(parts, { ...handled, incoming });
    case 'command':
      return handleCommand(parts, { ...handled, incoming });
    case 'message':
      return handleMessage(parts, { ...handled, incoming });
  }
}

async function handlePress({ agent, live }: HandlerParts, pressed: HandledUpdate<'press'>): Promise<UpdateEnd> {
  const { owner, connection, incoming } = pressed;
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
  if (turn && isChatChannel(turn.channel)) live.follow(owner, placeOf(pressed), turn);
  return { state: 'done', turnId: turn?.id };
}

const LINKED = 'Send a message to start. /help lists the commands. To connect another account, send /unlink first.';
const MOST_CODE_LINES = 5;

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
