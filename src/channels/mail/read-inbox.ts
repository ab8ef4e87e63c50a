import type { ImapFlow } from 'imapflow';
import type { Received } from '#agent/chats/chat-port.ts';
import type { MailSettings } from './mail-settings.ts';
import { MOST_BYTES, type Readers, readMail } from './read-mail.ts';
import { fileMail } from './stored-mail.ts';

/** Of a copy, and of mail that is larger than allowed, only the beginning is read, for its headers. */
const HEAD_BYTES = 128 * 1024;
const AT_ONCE = 20;
/** After the server has renumbered its mail, only mail is read whose earlier id is still known. */
const KNOWN_DAYS = 7;

/** `validity:uid`. With `:until`, mail up to that number was renumbered and is read again. */
type Cursor = { readonly validity: string; readonly uid: number; readonly until: number };
const parseCursor = (given: string): Cursor => {
  const [validity = '', uid, until] = given.split(':');
  return { validity, uid: Number(uid), until: Number(until ?? 0) };
};
const renderCursor = ({ validity, uid, until }: Cursor) =>
  uid < until ? `${validity}:${uid}:${until}` : `${validity}:${uid}`;

/** How the mail of an account is read. */
export type Reading = { readonly settings: MailSettings; readonly readers: Readers };

/** Mail that was read: its numbers, and the numbers of copies of mail by the account itself. */
export type ReadMail = Received & { readonly uids: readonly number[]; readonly copies: readonly number[] };

/** Where the inbox ends now. */
export async function findEnd(client: ImapFlow): Promise<string> {
  const box = client.mailbox || (await client.mailboxOpen('INBOX'));
  return renderCursor({ validity: String(box.uidValidity), uid: box.uidNext - 1, until: 0 });
}

/** The next mail after the cursor; without a cursor, none, and where the inbox ends. */
export async function readAfter(client: ImapFlow, given: string | null, reading: Reading): Promise<ReadMail> {
  if (given === null) return { updates: [], cursor: await findEnd(client), uids: [], copies: [] };
  const from = await continueFrom(client, parseCursor(given));
  const updates = [];
  const uids: number[] = [];
  const copies: number[] = [];
  let last: number | undefined;
  let room = MOST_BYTES;
  for (const uid of (await listAfter(client, from)).slice(0, AT_ONCE)) {
    const bytes = await findSize(client, uid);
    room -= Math.min(bytes ?? 0, MOST_BYTES);
    if (room < 0 && last !== undefined) break;
    const read = bytes === undefined ? undefined : await readOne(client, uid, bytes, reading);
    if (read === 'copy') copies.push(uid);
    else uids.push(uid);
    if (read && read !== 'copy') updates.push(fileMail({ ...read, uid }));
    last = uid;
  }
  // Without anything to read, all renumbered mail is done.
  const cursor = renderCursor({ ...from, uid: last ?? Math.max(from.uid, from.until) });
  return { updates, cursor, uids, copies };
}

async function continueFrom(client: ImapFlow, last: Cursor): Promise<Cursor> {
  const box = client.mailbox || (await client.mailboxOpen('INBOX'));
  const validity = String(box.uidValidity);
  return last.validity === validity ? last : { validity, uid: 0, until: box.uidNext - 1 };
}

/** `n:*` always names the last mail, too, so the numbers are compared again. */
async function listAfter(client: ImapFlow, { uid, until }: Cursor): Promise<number[]> {
  const isAgain = uid < until;
  const since = new Date(Date.now() - KNOWN_DAYS * 86_400_000);
  const found = await client.search({ uid: `${uid + 1}:*`, ...(isAgain && { since }) }, { uid: true });
  return (found || []).filter((each) => each > uid).toSorted((one, other) => one - other);
}

/** undefined: the mail is gone. */
async function findSize(client: ImapFlow, uid: number): Promise<number | undefined> {
  const found = await client.fetchOne(String(uid), { size: true }, { uid: true });
  return found ? (found.size ?? 0) : undefined;
}

/** The account itself gets a copy of all that it sends: nothing is to be done with it. */
async function readOne(client: ImapFlow, uid: number, bytes: number, { settings, readers }: Reading) {
  const query = { internalDate: true, source: { maxLength: HEAD_BYTES } };
  const message = await client.fetchOne(String(uid), query, { uid: true });
  if (!message || !message.source) return undefined;
  if (isCopy(message.source, settings.address)) return 'copy';
  const isCut = bytes > MOST_BYTES;
  const isWhole = isCut || bytes <= HEAD_BYTES;
  const source = isWhole ? message.source : await readSource(client, uid);
  const receivedAt = new Date(message.internalDate ?? Date.now());
  return source && readMail(source, { settings, isCut, readers, receivedAt });
}

async function readSource(client: ImapFlow, uid: number): Promise<Buffer | undefined> {
  const message = await client.fetchOne(String(uid), { source: true }, { uid: true });
  return message ? message.source : undefined;
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
