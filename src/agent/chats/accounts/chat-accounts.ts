import { randomBytes } from 'node:crypto';
import type { ChatAccount, ChatMode } from '#domain/chat/chat.ts';
import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ChatAccountId, newId } from '#domain/ids.ts';
import { OPERATOR, type Principal, requireOperator } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { audited } from '#store/audit.ts';
import {
  deleteChatAccount,
  findChatAccount,
  insertChatAccount,
  listChatAccounts,
  setChatAssistant,
} from '#store/chats/accounts.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { EVERYONE } from '#store/tools/skills.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { checkAssistant } from '../../assistants/assistants.ts';
import { ChatFailed, ignoreChatFailure } from '../chat-port.ts';
import { type Connections, credentialsOf } from '../connections.ts';
import type { Inbox } from '../incoming/inbox.ts';

export type AskedAccount = {
  readonly channel: ChatChannel;
  readonly credentials: string;
  readonly mode: ChatMode;
  readonly groups: boolean;
  /** The name of a shared assistant. */
  readonly assistant: string | null;
};

export type AccountParts = {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly connections: Connections;
  readonly inbox: Inbox;
  /** The address that people and platforms reach the gateway at. */
  readonly publicUrl: () => string | undefined;
};

/** Accounts on chat platforms, which operators manage. */
export function createChatAccounts(parts: AccountParts) {
  const { secrets, connections } = parts;

  return {
    /** Asks the platform who the credentials belong to, and stores them encrypted. */
    async add(principal: Principal, asked: AskedAccount): Promise<ChatAccount> {
      requireOperator(principal);
      return addAccount(parts, principal, asked);
    },

    /** Chats that have chosen an assistant keep theirs. */
    async setAssistant(principal: Principal, id: ChatAccountId, assistant: string | null): Promise<ChatAccount> {
      requireOperator(principal);
      const { db } = parts;
      if (assistant !== null) await checkAssistant(db, EVERYONE, assistant);
      const entry = { actor: principal.userId, action: 'chat.assistant', subject: id, detail: { assistant } };
      await withOwner(db, principal, (trx) =>
        audited(trx, async (writing) => (await setChatAssistant(writing, id, assistant)) || missing(), entry),
      );
      return (await findChatAccount(db, id)) ?? missing();
    },

    /** Its links and waiting updates go with it. The threads stay. */
    async remove(principal: Principal, id: ChatAccountId): Promise<void> {
      requireOperator(principal);
      const opened = await connections.open(id);
      const name = credentialsOf(id);
      const entry = { actor: principal.userId, action: 'chat.remove', subject: id, detail: {} };
      await secrets.inVault(OPERATOR, async (vault, trx) => {
        await vault.change((writer) => writer.remove(name), { action: 'secret.remove', name, actor: principal.userId });
        const existed = await audited(trx, (writing) => deleteChatAccount(writing, id), entry);
        if (!existed) throw noChannel();
      });
      // The platform may be down; its updates find no account any more.
      if (opened?.account.mode === 'webhook') await opened.connection.setAddress(null).catch(ignoreChatFailure);
    },

    /** Asks the platform whether the credentials are still good. Returns the problem, if there is one. */
    async test(principal: Principal, id: ChatAccountId): Promise<string | undefined> {
      requireOperator(principal);
      const opened = await connections.open(id);
      if (!opened) throw noChannel();
      try {
        const { remoteId } = await opened.connection.identify();
        return remoteId === opened.account.remoteId ? undefined : 'The credentials belong to another account now.';
      } catch (error) {
        if (error instanceof ChatFailed) return error.message;
        throw error;
      }
    },

    addressOf: (account: Pick<ChatAccount, 'id' | 'channel' | 'mode'>) => addressOf(parts, account),
  };
}

function missing(): never {
  throw noChannel();
}

export const noChannel = () => new NotFound('This channel does not exist.');

async function addAccount(parts: AccountParts, principal: Principal, asked: AskedAccount): Promise<ChatAccount> {
  const { db, connections, inbox } = parts;
  const { channel, mode, groups, assistant, credentials } = asked;
  const port = connections.portFor(channel);
  if (!port.modes.includes(mode))
    throw new InvalidRequest('invalid_request', 'mode', `${channel} has no mode ${mode}.`);
  if (mode === 'webhook') requireHttps(parts.publicUrl());
  if (assistant !== null) await checkAssistant(db, EVERYONE, assistant);
  const connection = port.connect(credentials);
  const { remoteId, name, cursor = null } = await explained(port.credentialsIn, () => connection.identify());
  const id = newId<ChatAccountId>();
  const url = addressOf(parts, { id, channel, mode });
  const secret = url === null || connection.isGenuine ? null : randomBytes(32).toString('base64url');
  const isKnown = (account: ChatAccount) => account.channel === channel && account.remoteId === remoteId;
  if ((await listChatAccounts(db)).some(isKnown)) throw alreadyThere(name);
  // Outside of the transaction, which must not wait for a platform. Updates that come too early are repeated.
  const address = url === null || secret === null ? null : { url, secret };
  await explained(port.credentialsIn, () => connection.setAddress(address));
  const secretHash = secret === null ? null : hashSecret(secret);
  const account = { id, channel, mode, groups, assistant, remoteId, name, cursor, secretHash };
  await storeAccount(parts, principal, account, credentials);
  inbox.runNow();
  const added = (await listChatAccounts(db)).find((listed) => listed.id === id);
  if (!added) throw noChannel();
  return added;
}

async function storeAccount(
  { secrets }: AccountParts,
  { userId: actor }: Principal,
  account: Parameters<typeof insertChatAccount>[1],
  credentials: string,
): Promise<void> {
  const { id, channel } = account;
  const name = credentialsOf(id);
  const entry = { actor, action: 'chat.add', subject: id, detail: { channel, name: account.name } };
  await secrets.inVault(OPERATOR, async (vault, trx) => {
    await vault.claimKey();
    const isNew = await audited(trx, (writing) => insertChatAccount(writing, account), entry);
    if (!isNew) throw alreadyThere(account.name);
    await vault.change((writer) => writer.put(name, credentials), { action: 'secret.put', name, actor });
  });
}

/** Where the platform sends updates to. */
function addressOf(
  { publicUrl }: AccountParts,
  { id, channel, mode }: Pick<ChatAccount, 'id' | 'channel' | 'mode'>,
): string | null {
  const site = publicUrl();
  return mode === 'webhook' && site !== undefined ? `${site}/channels/${channel}/${id}` : null;
}

const alreadyThere = (name: string) => new Conflict('already_exists', `${name} is added already. Remove it first.`);

function requireHttps(publicUrl: string | undefined): void {
  if (!publicUrl?.startsWith('https://'))
    throw new InvalidRequest(
      'invalid_request',
      'mode',
      'The mode webhook needs an address that the platform reaches by HTTPS. Set PUBLIC_URL, or use polling.',
    );
}

/** The operator reads what the platform says. */
async function explained<T>(parameter: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChatFailed)) throw error;
    throw new InvalidRequest('invalid_request', error.field ?? parameter, error.message);
  }
}
