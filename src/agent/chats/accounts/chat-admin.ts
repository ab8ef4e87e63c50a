import type { ChatAccount, ChatLink } from '#domain/chat/chat.ts';
import { NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import { listChatAccounts, listChatLinks } from '#store/chats/accounts.ts';
import { withOwner } from '#store/connection.ts';
import { countUpdates } from '#store/system/chats.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import type { Linking } from '../incoming/linking.ts';
import { type AccountParts, createChatAccounts } from './chat-accounts.ts';
import { createSentUpdates } from './sent-updates.ts';

export type ListedAccount = ChatAccount & {
  readonly waiting: number;
  readonly failed: number;
  readonly refused: number;
};

export type ChatAdmin = ReturnType<typeof createChatAdmin>;

/** Accounts on chat platforms, their updates, and the links of each user. */
export function createChatAdmin(
  parts: AccountParts & { readonly system: SystemConnection; readonly linking: Linking },
) {
  const { db, system, connections, linking } = parts;

  return {
    ...createChatAccounts(parts),
    ...createSentUpdates(parts),

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
      if (!(await linking.unlink(principal, link))) throw new NotFound('This link does not exist.');
    },
  };
}
