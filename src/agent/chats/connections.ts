import type { ChatAccount } from '#domain/chat/chat.ts';
import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import type { ChatAccountId } from '#domain/ids.ts';
import { OPERATOR } from '#domain/principal.ts';
import { findChatAccount } from '#store/chats/accounts.ts';
import type { Database } from '#store/connection.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { ChatConnection, ChatPort } from './chat-port.ts';

export type ChatPorts = Readonly<Record<ChatChannel, ChatPort>>;

export type OpenAccount = {
  readonly account: ChatAccount;
  readonly port: ChatPort;
  readonly connection: ChatConnection;
};

export type Connections = ReturnType<typeof createConnections>;

/** Connects to accounts. The account and its credentials are read each time, so that a removed account is not used any more. */
export function createConnections({ db, secrets, ports }: { db: Database; secrets: Secrets; ports: ChatPorts }) {
  return {
    portFor: (channel: ChatChannel): ChatPort => ports[channel],
    /** undefined when the account or its credentials are gone. */
    async open(id: ChatAccountId): Promise<OpenAccount | undefined> {
      const account = await findChatAccount(db, id);
      const secret = account && (await secrets.inVault(OPERATOR, (vault) => vault.find(credentialsOf(id))));
      if (!account || !secret) return undefined;
      const port = ports[account.channel];
      return { account, port, connection: port.connect(secret.reveal()) };
    },
  };
}

/** No tool can name it, because names of secrets can't contain a colon. */
export const credentialsOf = (id: ChatAccountId) => `chat:${id}`;
