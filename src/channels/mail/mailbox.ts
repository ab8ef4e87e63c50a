import type { ImapFlow } from 'imapflow';
import { ChatFailed, type Received } from '#agent/chats/chat-port.ts';
import { type LookUp, type MailSettings, tlsFor } from './mail-settings.ts';
import { type HtmlToText, MOST_BYTES, readMail } from './read-mail.ts';
import { fileMail } from './stored-mail.ts';

/** How long one call waits for mail: shorter than the lease of the replica that watches. */
const WAIT_MS = 20_000;
const UNUSED_MS = 60_000;
const CONNECT_MS = 8000;
/** Of mail that is larger than allowed, only the beginning is read, for its headers. */
const HEAD_BYTES = 128 * 1024;
const AT_ONCE = 20;
/** After the server has numbered its mail anew, only mail is read whose earlier id is still known. */
const KNOWN_DAYS = 7;

/** `validity:uid`. With `:until`, mail up to that number was numbered anew and is read again. */
type Cursor = { readonly validity: string; readonly uid: number; readonly until: number };
const parseCursor = (given: string): Cursor => {
  const [validity = '', uid, until] = given.split(':');
  return { validity, uid: Number(uid), until: Number(until ?? 0) };
};
const renderCursor = ({ validity, uid, until }: Cursor) =>
  uid < until ? `${validity}:${uid}:${until}` : `${validity}:${uid}`;

export type Mailbox = ReturnType<typeof createMailbox>;

/** The inbox of an account, by IMAP. The connection is kept between calls, and replaced after any failure. */
export function createMailbox(settings: MailSettings, lookUp: LookUp, htmlToText: HtmlToText) {
  let watching: Promise<ImapFlow> | undefined;
  /** What was received last. It is marked when the next call shows that it is stored. */
  let received: { readonly cursor: string; readonly uids: number[]; readonly copies: number[] } | undefined;

  /** Ends a connection that is not used any more, because another replica watches or the account was removed. */
  let unused: NodeJS.Timeout | undefined;

  const drop = async () => {
    clearTimeout(unused);
    const client = await watching?.catch(() => undefined);
    watching = undefined;
    received = undefined;
    client?.close();
  };

  /** Opens a connection for one question. */
  async function ask<T>(act: (client: ImapFlow) => Promise<T>): Promise<T> {
    let client: ImapFlow | undefined;
    try {
      client = await open(settings, lookUp);
      return await act(client);
    } catch (error) {
      throw toFailure(error);
    } finally {
      client?.close();
    }
  }

  async function receive(cursor: string | null, signal: AbortSignal): Promise<Received> {
    clearTimeout(unused);
    const abort = () => void drop();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const isNew = watching === undefined;
      watching ??= open(settings, lookUp);
      const client = await watching;
      if (!isNew) await client.noop();
      await acknowledge(client, cursor);
      const found = await readAfter(client, cursor);
      if (found.updates.length > 0 || found.cursor !== cursor) return found;
      await arrival(client, signal);
      return await readAfter(client, cursor);
    } catch (error) {
      await drop();
      throw toFailure(error);
    } finally {
      signal.removeEventListener('abort', abort);
      if (watching) unused = setTimeout(() => void drop(), UNUSED_MS).unref();
    }
  }

  async function acknowledge(client: ImapFlow, cursor: string | null): Promise<void> {
    if (!received || received.cursor !== cursor) return;
    const { uids, copies } = received;
    received = undefined;
    if (uids.length > 0) await client.messageFlagsAdd(uids, ['\\Seen'], { uid: true });
    const sent = copies.length > 0 ? await findSentFolder(client) : undefined;
    if (sent) await client.messageMove(copies, sent, { uid: true });
  }

  async function readAfter(client: ImapFlow, given: string | null): Promise<Received> {
    const box = client.mailbox || (await client.mailboxOpen('INBOX'));
    const validity = String(box.uidValidity);
    if (given === null) return { updates: [], cursor: renderCursor({ validity, uid: box.uidNext - 1, until: 0 }) };
    const last = parseCursor(given);
    const isKnown = last.validity === validity;
    const from: Cursor = isKnown ? last : { validity, uid: 0, until: box.uidNext - 1 };
    const uids = await listAfter(client, from);
    const updates = [];
    const done: Cursor[] = [];
    const copies: number[] = [];
    let room = MOST_BYTES;
    for (const uid of uids.slice(0, AT_ONCE)) {
      const size = (await client.fetchOne(String(uid), { size: true }, { uid: true })) || undefined;
      room -= Math.min(size?.size ?? 0, MOST_BYTES);
      if (room < 0 && done.length > 0) break;
      const isCut = (size?.size ?? 0) > MOST_BYTES;
      const query = { internalDate: true, source: isCut ? { maxLength: HEAD_BYTES } : true };
      const message = size && (await client.fetchOne(String(uid), query, { uid: true }));
      if (message && message.source) {
        const receivedAt = new Date(message.internalDate ?? Date.now());
        const mail = await readMail(message.source, { settings, isCut, htmlToText, receivedAt });
        if (isCopy(message.source, settings.address)) copies.push(uid);
        else updates.push(fileMail({ ...mail, uid }));
      }
      done.push({ ...from, uid });
    }
    // Without anything to read, the rest of what was numbered anew is behind us.
    const end = done.at(-1) ?? { ...from, uid: Math.max(from.uid, from.until) };
    const cursor = renderCursor(end);
    received = { cursor, uids: done.map(({ uid }) => uid).filter((uid) => !copies.includes(uid)), copies };
    return { updates, cursor };
  }

  /** `n:*` always names the last mail, too, so the numbers are compared again. */
  async function listAfter(client: ImapFlow, { uid, until }: Cursor): Promise<number[]> {
    const isAgain = uid < until;
    const since = new Date(Date.now() - KNOWN_DAYS * 86_400_000);
    const found = await client.search({ uid: `${uid + 1}:*`, ...(isAgain && { since }) }, { uid: true });
    return (found || []).filter((each) => each > uid).toSorted((one, other) => one - other);
  }

  return {
    receive,
    /** Where the inbox ends now. */
    findEnd: () =>
      ask(async (client) => {
        const box = client.mailbox || (await client.mailboxOpen('INBOX'));
        return renderCursor({ validity: String(box.uidValidity), uid: box.uidNext - 1, until: 0 });
      }),
    /** Each mail is also sent to the mailbox itself. If the copy whose id begins like this is there, the server has accepted the mail. */
    hasCopy: (begin: string): Promise<boolean> =>
      ask(async (client) => {
        const sent = await findSentFolder(client);
        for (const folder of ['INBOX', ...(sent ? [sent] : [])]) {
          await client.mailboxOpen(folder, { readOnly: true });
          const found = await client.search({ header: { 'message-id': begin } }, { uid: true });
          if (found && found.length > 0) return true;
        }
        return false;
      }),
    close: drop,
  };
}

async function open(settings: MailSettings, lookUp: LookUp): Promise<ImapFlow> {
  const { host, port, security } = settings.imap;
  const [address] = await lookUp(host, { isPrivate: settings.private_network });
  const { ImapFlow: Client } = await import('imapflow'); // few installations need it
  const client = new Client({
    ...(address !== undefined && { host: address }),
    port,
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    servername: host,
    tls: tlsFor(host),
    auth: { user: settings.user, pass: settings.password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: WAIT_MS * 2,
    maxLineLength: 1024 * 1024,
    maxLiteralSize: MOST_BYTES + 1024,
    maxResponseSize: MOST_BYTES + 1024 * 1024,
  });
  // Whoever waits for an answer gets the error; without a listener, the process would end.
  client.on('error', () => {});
  await client.connect();
  await client.mailboxOpen('INBOX');
  return client;
}

/** Waits until the server reports new mail. Each call renews IDLE; without it, each call is a poll. */
async function arrival(client: ImapFlow, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, WAIT_MS);
  signal.addEventListener('abort', end, { once: true });
  client.once('exists', end);
  client.once('close', end);
  client.idle().catch(end);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    client.off('exists', end);
    client.off('close', end);
  }
}

async function findSentFolder(client: ImapFlow): Promise<string | undefined> {
  return (await client.list()).find(({ specialUse }) => specialUse === '\\Sent')?.path;
}

/** Mail by the account itself with the header that each mail of the service has. It decides only about a folder. */
const isCopy = (source: Buffer, address: string) => {
  const head =
    source
      .subarray(0, HEAD_BYTES)
      .toString('latin1')
      .split(/\r?\n\r?\n/, 1)[0] ?? '';
  return (
    /^auto-submitted: auto-replied/im.test(head) &&
    new RegExp(`^from: [^\\n]*${RegExp.escape(address)}`, 'im').test(head)
  );
};

function toFailure(error: unknown): ChatFailed {
  if (error instanceof ChatFailed) return error;
  const isRefused = error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true;
  const said =
    error instanceof Error && 'responseText' in error && typeof error.responseText === 'string'
      ? error.responseText
      : error instanceof Error
        ? error.message
        : String(error);
  const reason = isRefused ? 'the server refuses the user name or the password' : said.slice(0, 300);
  return new ChatFailed({ outcome: 'failed', error: `IMAP: ${reason}` });
}
