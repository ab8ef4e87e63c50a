import { randomInt } from 'node:crypto';
import type { ChatLink } from '#domain/chat/chat.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import { hashSecret } from '#domain/secret-hash.ts';
import { audited } from '#store/audit.ts';
import { deleteChatLink, insertChatLink, putChatCode, takeChatCode } from '#store/chats/accounts.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { takeUse } from '#store/spending/rate-windows.ts';
import { findCodeOwner, findLinkedUser, type StoredUpdate } from '#store/system/chats.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Incoming, ignoreChatFailure } from '../chat-port.ts';
import type { OpenAccount } from '../connections.ts';

/** Letters and digits that are not mistaken for others. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 10;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);
const CODE_MINUTES = 10;

/** People can type a code in small letters, and with the dash that it is shown with. */
const plain = (code: string) => code.trim().toUpperCase().replaceAll('-', '');
export const isCode = (given: string): boolean => CODE.test(plain(given));

/**
 * Guesses by sender. Strangers could use up a limit for all senders together. A code is one of 2^50: with a hundred
 * open codes, a thousand guesses a second find one in about 350 years.
 */
const GUESSES = { limit: 5, windowSeconds: 600 };
/** Words to strangers, by sender and in all. */
const STRANGER = { limit: 1, windowSeconds: 3600 };
const ALL_STRANGERS = { limit: 30, windowSeconds: 60 };

export type Linking = ReturnType<typeof createLinking>;

/** Links people on a platform to users: a user gets a code, and sends it in the chat. */
export function createLinking({ db, system }: { readonly db: Database; readonly system: SystemConnection }) {
  const isAllowed = async (key: string, rate: { limit: number; windowSeconds: number }) =>
    (await takeUse(db, key, rate)).isAllowed;

  /** One line, once in a while. It may get lost. */
  async function reply({ account, connection, incoming }: OpenAccount & { incoming: Incoming }, words: string) {
    const sender = incoming.sender?.id ?? '';
    const mayReply =
      (await isAllowed(`stranger:${account.id}:${sender}`, STRANGER)) &&
      (await isAllowed(`strangers:${account.id}`, ALL_STRANGERS));
    if (!mayReply) return;
    const message = { markdown: words, replyTo: incoming.replyTo };
    await connection.send(incoming.chat, message, '').catch(ignoreChatFailure);
  }

  return {
    /** A code of the principal, which replaces an earlier one. It is valid for a few minutes, and once. */
    async createCode(principal: Principal): Promise<{ code: string; expiresAt: Date }> {
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
      const entry = { actor: principal.userId, action: 'chat.code', subject: principal.userId, detail: {} };
      const expiresAt = await withOwner(db, principal, (trx) =>
        audited(trx, (writing) => putChatCode(writing, principal, hashSecret(code), CODE_MINUTES), entry),
      );
      return { code: `${code.slice(0, 5)}-${code.slice(5)}`, expiresAt };
    },

    /**
     * Links the sender to the user whose code it is. A linked sender stays linked: the code may be in a link that someone else has
     * sent. Returns the user that the sender is linked to.
     */
    async redeem(
      call: OpenAccount & { update: StoredUpdate; code: string; incoming: Incoming },
    ): Promise<UserId | undefined> {
      const { account, incoming, code } = call;
      const { sender } = incoming;
      if (!sender) return undefined;
      const before = await findLinkedUser(system, account.id, sender.id);
      if (before !== undefined) return before;
      const mayGuess = await isAllowed(`chat-code:${account.id}:${sender.id}`, GUESSES);
      const hash = hashSecret(plain(code));
      const userId = mayGuess ? await findCodeOwner(system, hash) : undefined;
      if (userId === undefined) {
        await reply(call, WRONG_CODE);
        return undefined;
      }
      const link = { accountId: account.id, sender: sender.id, name: sender.name.slice(0, 100), chat: incoming.chat };
      return insertLink(db, { userId }, link, hash);
    },

    /** Says once how to get access. */
    turnAway: (call: OpenAccount & { incoming: Incoming }): Promise<void> => reply(call, STRANGER_LINE),

    /** Returns whether there was such a link. */
    unlink({ userId }: Pick<Principal, 'userId'>, link: Pick<ChatLink, 'accountId' | 'sender'>): Promise<boolean> {
      const entry = { actor: userId, action: 'chat.unlink', subject: link.accountId, detail: { sender: link.sender } };
      return withOwner(db, { userId }, (trx) =>
        audited(
          trx,
          (writing) => deleteChatLink(writing, { userId }, link),
          (existed) => (existed ? entry : 'no right changed'),
        ),
      );
    },
  };
}

/** Uses up the code. undefined when someone else has just used it. */
async function insertLink(
  db: Database,
  owner: Pick<Principal, 'userId'>,
  link: Omit<Parameters<typeof insertChatLink>[1], 'userId'>,
  codeHash: Buffer,
): Promise<UserId | undefined> {
  const { userId } = owner;
  const entry = { actor: userId, action: 'chat.link', subject: link.accountId, detail: { sender: link.sender } };
  return withOwner(db, owner, (trx) =>
    audited(
      trx,
      async (writing) => {
        if (!(await takeChatCode(writing, owner, codeHash))) return undefined;
        await insertChatLink(writing, { ...link, userId });
        return userId;
      },
      (linked) => (linked === undefined ? 'no right changed' : entry),
    ),
  );
}

const WRONG_CODE = 'This code is not valid, or it has expired. Get a new one in the web app, under Settings.';
const STRANGER_LINE =
  'Hello! I only talk to people I know. If you have an account, get a code in the web app, under Settings, and send it to me in a private chat.';
