import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import { type ChatAccountId, isUuid } from '#domain/ids.ts';
import { equalsSecret } from '#domain/secret-hash.ts';
import { findChatAccount, findUpdateSecret } from '#store/chats/accounts.ts';
import type { Database } from '#store/connection.ts';
import type { SentRequest } from '../chat-port.ts';
import type { Connections } from '../connections.ts';
import type { Inbox } from '../incoming/inbox.ts';
import { noChannel } from './chat-accounts.ts';

/** Updates that platforms send to the gateway, as the mode webhook asks them to. */
export function createSentUpdates(parts: {
  readonly db: Database;
  readonly connections: Connections;
  readonly inbox: Pick<Inbox, 'accept'>;
}) {
  const { db, connections, inbox } = parts;

  async function store(channel: ChatChannel, id: ChatAccountId, update: unknown): Promise<void> {
    const filed = connections.portFor(channel).file(update);
    if (filed) await inbox.accept(id, filed);
  }

  return {
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
  };
}
