import { randomBytes } from 'node:crypto';
import type { ChatAccount, ChatLink, ChatMode } from '#domain/chat/chat.ts';
import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ChatAccountId, isUuid, newId } from '#domain/ids.ts';
import { OPERATOR, type Principal, requireOperator } from '#domain/principal.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import { audited } from '#store/audit.ts';
import {
  deleteChatAccount,
  deleteChatLink,
  findChatAccount,
  findUpdateSecret,
  insertChatAccount,
  listChatAccounts,
  listChatLinks,
} from '#store/chats/accounts.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { countUpdates } from '#store/system/chats.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { ChatFailed, type SentRequest } from './chat-port.ts';
import { type Connections, credentialsOf } from './connections.ts';
import type { Inbox } from './inbox.ts';
import type { Linking } from './linking.ts';

export type AskedAccount = {
  readonly channel: ChatChannel;
  readonly credentials: string;
  readonly mode: ChatMode;
  readonly groups: boolean;
};

export type ListedAccount = ChatAccount & {
  readonly waiting: number;
  readonly failed: number;
  readonly refused: number;
};

export type ChatAdmin = ReturnType<typeof createChatAdmin>;

/** Accounts on chat platforms, which operators manage, and the links of each user. */
export function createChatAdmin(parts: {
  readonly db: Database;
  readonly system: SystemConnection;
  readonly secrets: Secrets;
  readonly connections: Connections;
  readonly linking: Linking;
  readonly inbox: Inbox;
  /** The address that people and platforms reach the gateway at. */
  readonly publicUrl: () => string | undefined;
}) {
  const { db, system, secrets, connections, linking, inbox } = parts;

  return {
    async list(principal: Principal): Promise<{ accounts: ListedAccount[]; links: ChatLink[] }> {
      const accounts = await listChatAccounts(db);
      const counts = new Map((await countUpdates(system)).map((counted) => [counted.accountId, counted]));
      const links = await withOwner(db, principal, (trx) => listChatLinks(trx, principal));
      return {
        accounts: accounts.map((account) => ({
          ...account,
          waiting: counts.get(account.id)?.waiting ?? 0,
          failed: counts.get(account.id)?.failed ?? 0,
          refused: counts.get(account.id)?.refused ?? 0,
        })),
        links,
      };
    },

    /** Asks the platform who the credentials belong to, and stores them encrypted. */
    async add(principal: Principal, asked: AskedAccount): Promise<ChatAccount> {
      requireOperator(principal);
      const port = connections.portFor(asked.channel);
      if (!port.modes.includes(asked.mode))
        throw new InvalidRequest('invalid_request', 'mode', `${asked.channel} has no mode ${asked.mode}.`);
      if (asked.mode === 'webhook') requireHttps(parts.publicUrl());
      const connection = port.connect(asked.credentials);
      const identity = await explained(port.credentialsIn, () => connection.identify());
      const id = newId<ChatAccountId>();
      const { channel, mode, groups } = asked;
      const url = addressOf({ id, channel, mode });
      const secret = url === null || connection.isGenuine ? null : randomBytes(32).toString('base64url');
      const isKnown = (await listChatAccounts(db)).some(
        (account) => account.channel === channel && account.remoteId === identity.remoteId,
      );
      if (isKnown) throw alreadyThere(identity.name);
      // Outside of the transaction, which must not wait for a platform. Updates that come too early are repeated.
      const address = url === null || secret === null ? null : { url, secret };
      await explained(port.credentialsIn, () => connection.setAddress(address));
      const entry = {
        actor: principal.userId,
        action: 'chat.add',
        subject: id,
        detail: { channel, name: identity.name },
      };
      const name = credentialsOf(id);
      await secrets.inVault(OPERATOR, async (vault, trx) => {
        await vault.claimKey();
        const kept = {
          id,
          channel,
          mode,
          groups,
          remoteId: identity.remoteId,
          name: identity.name,
          cursor: identity.cursor ?? null,
          secretHash: secret === null ? null : hashSecret(secret),
        };
        const isNew = await audited(trx, (writing) => insertChatAccount(writing, kept), entry);
        if (!isNew) throw alreadyThere(identity.name);
        await vault.change((writer) => writer.put(name, asked.credentials), {
          action: 'secret.put',
          name,
          actor: principal.userId,
        });
      });
      inbox.runNow();
      const added = (await listChatAccounts(db)).find((account) => account.id === id);
      if (!added) throw noChannel();
      return added;
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

    async createCode(principal: Principal) {
      const { code, expiresAt } = await linking.createCode(principal);
      const accounts = await listChatAccounts(db);
      const links = accounts.flatMap((account) => {
        const url = connections.portFor(account.channel).linkFor?.(account, code.replaceAll('-', ''));
        return url ? [{ accountId: account.id, url }] : [];
      });
      return { code, expiresAt, links };
    },

    async unlink(principal: Principal, link: Pick<ChatLink, 'accountId' | 'sender'>): Promise<void> {
      const entry = {
        actor: principal.userId,
        action: 'chat.unlink',
        subject: link.accountId,
        detail: { sender: link.sender },
      };
      await withOwner(db, principal, async (trx) => {
        const existed = await audited(trx, (writing) => deleteChatLink(writing, principal, link), entry);
        if (!existed) throw new NotFound('There is no such link.');
      });
    },

    /** Refuses a platform that does not send the secret of the account. Needs no body. */
    async requireSecret(channel: ChatChannel, id: string, secret: string): Promise<void> {
      const hash = secret !== '' && isUuid<ChatAccountId>(id) && (await findUpdateSecret(db, channel, id));
      if (!hash || !equalsSecret(secret, hash)) throw noChannel();
    },

    /** Stores an update of a platform that has sent the secret. Once this resolves, it may be acknowledged. */
    async accept(channel: ChatChannel, id: string, update: unknown): Promise<void> {
      if (!isUuid<ChatAccountId>(id)) throw noChannel();
      await store(channel, id, update);
    },

    /** Refuses a request that can't be signed for an account. Needs no body. */
    async requireSigning(channel: ChatChannel, id: string, isSignable: boolean): Promise<void> {
      const account = isSignable && isUuid<ChatAccountId>(id) && (await findChatAccount(db, id));
      if (!account || account.channel !== channel || account.mode !== 'webhook') throw noChannel();
    },

    /** Stores an update that its platform has signed. The body is parsed once the signature is checked, and returned. */
    async acceptSigned(
      channel: ChatChannel,
      id: string,
      request: SentRequest,
      parse: (body: string) => unknown,
    ): Promise<unknown> {
      if (!isUuid<ChatAccountId>(id)) throw noChannel();
      const opened = await connections.open(id);
      const isOurs = opened?.account.channel === channel && opened.account.mode === 'webhook';
      if (!isOurs || !opened.connection.isGenuine?.(request)) throw noChannel();
      const update = parse(request.body.toString('utf8'));
      await store(channel, id, update);
      return update;
    },

    addressOf,
  };

  /** Where the platform sends updates to. */
  function addressOf({ id, channel, mode }: Pick<ChatAccount, 'id' | 'channel' | 'mode'>): string | null {
    const site = parts.publicUrl();
    return mode === 'webhook' && site !== undefined ? `${site}/channels/${channel}/${id}` : null;
  }

  async function store(channel: ChatChannel, id: ChatAccountId, update: unknown): Promise<void> {
    const filed = connections.portFor(channel).file(update);
    if (filed) await inbox.accept(id, filed);
  }
}

const noChannel = () => new NotFound('There is no such channel.');

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

function ignoreChatFailure(error: unknown): void {
  if (!(error instanceof ChatFailed)) throw error;
}
