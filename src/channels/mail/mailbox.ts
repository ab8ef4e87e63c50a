import type { ImapFlow } from 'imapflow';
import type { Received } from '#agent/chats/chat-port.ts';
import { findSentFolder, openImap, toFailure, waitForMail } from './imap.ts';
import type { LookUp, MailSettings } from './mail-settings.ts';
import { findEnd, type ReadMail, readAfter } from './read-inbox.ts';
import type { Readers } from './read-mail.ts';

const UNUSED_MS = 60_000;

/** The inbox of an account, by IMAP. */
export type Mailbox = {
  /** Waits for mail after the cursor, which acknowledges the mail before it. */
  readonly receive: (cursor: string | null, signal: AbortSignal) => Promise<Received>;
  /** Where the inbox ends now. */
  findEnd(): Promise<string>;
  /** Each mail is also sent to the mailbox itself. If the copy whose id begins like this is there, the server has accepted the mail. */
  hasCopy(begin: string): Promise<boolean>;
  close(): Promise<void>;
};

/** The connection is kept between calls, and replaced after any failure. */
export function createMailbox(settings: MailSettings, lookUp: LookUp, readers: Readers): Mailbox {
  let watching: Promise<ImapFlow> | undefined;
  /** What was received last. It is marked when the next call shows that it is stored. */
  let received: ReadMail | undefined;
  /** Ends a connection that is not used any more, because another replica watches or the account was removed. */
  let unused: NodeJS.Timeout | undefined;

  async function drop(): Promise<void> {
    clearTimeout(unused);
    const client = await watching?.catch(() => undefined);
    watching = undefined;
    received = undefined;
    client?.close();
  }

  /** Opens a connection for one question. */
  async function ask<T>(act: (client: ImapFlow) => Promise<T>): Promise<T> {
    let client: ImapFlow | undefined;
    try {
      client = await openImap(settings, lookUp);
      return await act(client);
    } catch (error) {
      throw toFailure(error);
    } finally {
      client?.close();
    }
  }

  async function read(client: ImapFlow, cursor: string | null): Promise<Received> {
    const found = await readAfter(client, cursor, { settings, readers });
    if (cursor !== null) received = found;
    return { updates: found.updates, cursor: found.cursor };
  }

  async function receive(cursor: string | null, signal: AbortSignal): Promise<Received> {
    clearTimeout(unused);
    const abort = () => void drop();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const isNew = watching === undefined;
      watching ??= openImap(settings, lookUp);
      const client = await watching;
      if (!isNew) await client.noop();
      const stored = received?.cursor === cursor ? received : undefined;
      if (stored) {
        received = undefined;
        await markRead(client, stored);
      }
      const found = await read(client, cursor);
      if (found.updates.length > 0 || found.cursor !== cursor) return found;
      await waitForMail(client, signal);
      return await read(client, cursor);
    } catch (error) {
      await drop();
      throw toFailure(error);
    } finally {
      signal.removeEventListener('abort', abort);
      if (watching) unused = setTimeout(() => void drop(), UNUSED_MS).unref();
    }
  }

  return {
    receive,
    findEnd: () => ask(findEnd),
    hasCopy: (begin) => ask((client) => hasCopy(client, begin)),
    close: drop,
  };
}

/** Mail by the account itself goes to the folder of sent mail. */
async function markRead(client: ImapFlow, { uids, copies }: ReadMail): Promise<void> {
  if (uids.length > 0) await client.messageFlagsAdd([...uids], ['\\Seen'], { uid: true });
  const sent = copies.length > 0 ? await findSentFolder(client) : undefined;
  if (sent) await client.messageMove([...copies], sent, { uid: true });
}

async function hasCopy(client: ImapFlow, begin: string): Promise<boolean> {
  const sent = await findSentFolder(client);
  for (const folder of ['INBOX', ...(sent ? [sent] : [])]) {
    await client.mailboxOpen(folder, { readOnly: true });
    const found = await client.search({ header: { 'message-id': begin } }, { uid: true });
    if (found && found.length > 0) return true;
  }
  return false;
}
