import { createHash } from 'node:crypto';
import { addressParser } from 'postal-mime';
import { cleanMediaType } from '#domain/text/media-type.ts';
import type { MailSettings } from './mail-settings.ts';
import { splitMailText } from './mail-text.ts';
import { threadOf } from './mail-thread.ts';
import type { AttachedFile, ParsedMail } from './parse-mail.ts';
import { isProven } from './sender-proof.ts';
import type { StoredFile, StoredMail } from './stored-mail.ts';

/** What runs in worker threads, because a sender may build a mail that takes long. Each lane has one at a time. */
export type Readers = {
  /** Undefined when it takes too long. */
  readonly parse: (source: Uint8Array, lane: string) => Promise<ParsedMail | undefined>;
  /** Turns HTML into text, without what readers don't see. Undefined when it takes too long. */
  readonly htmlToText: (html: string, lane: string) => Promise<string | undefined>;
};

/** Larger mail is read without its content. */
export const MOST_BYTES = 20 * 1024 * 1024;
const MOST_TEXT = 200_000;
const MOST_HTML = 2_000_000;
const MOST_FILES = 10;
/** Smaller pictures that the text refers to are decoration. */
const LEAST_PICTURE = 10 * 1024;
const MOST_REFERENCES = 30;
const MOST_RECIPIENTS = 20_000;
const OLDEST_MS = 7 * 86_400_000;
/** Clocks are wrong, and time zones too. */
const MOST_AHEAD_MS = 86_400_000;

type Reading = {
  readonly settings: MailSettings;
  readonly isCut: boolean;
  readonly readers: Readers;
  /** When the mail arrived in the mailbox; now unless it is given. */
  readonly receivedAt?: Date;
};
type Read = Omit<StoredMail, 'uid'> & { readonly remoteId: string };

/**
 * Reads a mail, within bounds. A mail that must not lead to anything keeps only the reason. The id is the same when a mail is
 * delivered twice, or gets another number in its mailbox; only its proven sender can choose it.
 */
export async function readMail(
  source: Buffer,
  { settings, isCut, readers, receivedAt = new Date() }: Reading,
): Promise<Read> {
  const digest = sha256(source);
  const nothing = (refusal: string) => ({ ...NOTHING, remoteId: digest, refusal });
  let mail: ParsedMail | undefined;
  try {
    mail = await readers.parse(source, settings.address);
  } catch {
    return nothing('The mail is malformed.');
  }
  if (!mail) return nothing('The mail took too long to read.');
  const from = senderOf(mail);
  const refusal = refusalOf(mail, from?.address, settings, receivedAt);
  if (refusal !== undefined || !from) return nothing(refusal ?? 'No sender.');

  const [messageId = ''] = idsIn(mail, 'message-id');
  const references = [...idsIn(mail, 'references'), ...idsIn(mail, 'in-reply-to')].slice(-MOST_REFERENCES);
  const subject = oneLine(mail.subject ?? '').slice(0, 200);
  const { thread, isReply } = threadOf({ references, subject, source: digest }, settings.address);
  const toText = createHtmlReader(readers, from.address);
  const text = isCut ? { own: TOO_LARGE, quoted: '', mixed: '', isSure: true } : await textOf(mail, toText);
  const attached = isCut ? [] : await readAttachedMail(mail, readers, toText, from.address);
  return {
    remoteId: messageId === '' ? digest : sha256(`${from.address}\n${messageId}`),
    refusal: null,
    from: from.address,
    name: oneLine(from.name).slice(0, 100) || from.address,
    messageId,
    references,
    subject,
    thread,
    isReply,
    text: text.own.slice(0, MOST_TEXT),
    // In a conversation, what is quoted is known. In a new one, it is what the mail is about.
    quoted: [text.mixed, isReply && text.isSure ? '' : text.quoted, ...attached]
      .filter(Boolean)
      .join('\n\n')
      .slice(0, MOST_TEXT),
    files: isCut ? [] : filesOf(mail),
  };
}

const TOO_LARGE = '[The mail is larger than 20 MiB, so its content was left out.]';
const TOO_SLOW = '[The mail took too long to read, so its content was left out. It may be built to do so.]';
const NOTHING: Omit<Read, 'remoteId' | 'refusal'> = {
  from: '',
  name: '',
  messageId: '',
  references: [],
  subject: '',
  thread: '',
  isReply: false,
  text: '',
  quoted: '',
  files: [],
};

const sha256 = (given: string | Buffer) => createHash('sha256').update(given).digest('hex');
const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();

/** One author with one plain address. Mail programs disagree about which of several to show. */
function senderOf(mail: ParsedMail): { readonly address: string; readonly name: string } | undefined {
  const given = valuesOf(mail, 'from');
  const [value = ''] = given;
  if (given.length !== 1 || value.length > 2000) return undefined;
  const [author, ...others] = addressParser(value);
  const address = author?.address?.toLowerCase() ?? '';
  const isPlain = /^[a-z\d.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z\d-]{1,63}\.)+[a-z\d-]{2,63}$/.test(address);
  return isPlain && others.length === 0 ? { address, name: author?.name ?? '' } : undefined;
}

function refusalOf(mail: ParsedMail, from: string | undefined, settings: MailSettings, receivedAt: Date) {
  const { address, authserv_id: server } = settings;
  if (from === undefined) return 'The mail does not have one sender with a plain address.';
  if (from === address.toLowerCase()) return 'The mail is a copy of one that was sent.';
  if (!isProven(mail.headers, server, from)) return 'The mail server has not proven the sender.';
  if (isAutomatic(mail, from)) return 'The mail is automatic.';
  if (!isAddressed(mail, settings)) return 'The mail has the address of the mailbox neither in To nor in Cc.';
  return isRecent(mail, receivedAt) ? undefined : 'The mail is older than seven days, or has no date.';
}

/** A signature does not cover the envelope, so anyone can pass on a mail that a person has once sent them. */
function isAddressed(mail: ParsedMail, { address, aliases = [] }: MailSettings): boolean {
  const named = ['to', 'cc']
    .flatMap((name) => valuesOf(mail, name))
    .flatMap((value) => addressParser(value.slice(0, MOST_RECIPIENTS), { flatten: true }))
    .map((recipient) => withoutTag(recipient.address ?? ''));
  return [address, ...aliases].some((ours) => named.includes(withoutTag(ours)));
}

/** `agent+anything@example.com` is also `agent@example.com`. */
const withoutTag = (address: string) => address.toLowerCase().replace(/\+[^@]*@/, '@');

/** The id of a mail is known for eight days. A later copy would be a new mail. */
function isRecent(mail: ParsedMail, receivedAt: Date): boolean {
  const age = receivedAt.getTime() - Date.parse(valuesOf(mail, 'date')[0] ?? '');
  return age <= OLDEST_MS && age >= -MOST_AHEAD_MS;
}

/** Answers to programs make loops. */
function isAutomatic(mail: ParsedMail, from: string): boolean {
  const first = (name: string) => valuesOf(mail, name)[0]?.trim().toLowerCase();
  const submitted = first('auto-submitted');
  return (
    (submitted !== undefined && !/^no\b/.test(submitted)) ||
    /^(?:bulk|junk|list|auto_reply)\b/.test(first('precedence') ?? '') ||
    ['list-id', 'list-post', 'list-unsubscribe', 'x-autoreply', 'x-autorespond', 'x-loop'].some((name) =>
      first(name),
    ) ||
    first('return-path') === '<>' ||
    /^multipart\/report\b/.test(first('content-type') ?? '') ||
    /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)[@+]/.test(from)
  );
}

const valuesOf = (mail: ParsedMail, name: string) =>
  mail.headers.filter(({ key }) => key.trim() === name).map(({ value }) => value);

function idsIn(mail: ParsedMail, name: string): string[] {
  const ids = valuesOf(mail, name).flatMap((value) => value.slice(-20_000).match(/<[^<>\s]{1,250}>/g) ?? []);
  return ids.filter((id) => /^[\x21-\x7e]+$/.test(id)).slice(-MOST_REFERENCES);
}

type ToText = (html: string) => Promise<string>;

/** Reads the HTML of one mail until a part takes too long. The next parts would, too. */
function createHtmlReader({ htmlToText }: Readers, lane: string): ToText {
  let isTooSlow = false;
  return async (html) => {
    if (html === '') return '';
    const text = isTooSlow ? undefined : await htmlToText(html, lane);
    isTooSlow ||= text === undefined;
    return text ?? TOO_SLOW;
  };
}

/** Where mail programs begin the mail that is answered. The sender may have written below it, too. */
const HTML_QUOTE =
  /<(?:blockquote\b|(?:div|span|hr)\b[^<>]{0,200}(?:gmail_quote|divRplyFwdMsg|appendonsend|yahoo_quoted|moz-cite-prefix))/i;

/** Plain text is preferred, because quotes are certain there. */
async function textOf(mail: ParsedMail, toText: ToText) {
  const plain = mail.text?.trim();
  if (plain) return { ...splitMailText(plain.slice(0, MOST_TEXT * 2)), isSure: true };
  const html = (mail.html ?? '').slice(0, MOST_HTML);
  const cut = html.search(HTML_QUOTE);
  const above = await toText(cut === -1 ? html : html.slice(0, cut));
  const below = cut === -1 ? '' : (await toText(html.slice(cut))).slice(0, MOST_TEXT).trim();
  const { own, quoted, mixed } = splitMailText(above.slice(0, MOST_TEXT * 2));
  return { own, quoted: [quoted, below].filter(Boolean).join('\n\n'), mixed, isSure: false };
}

/** Mail that is attached is by others. Only the outermost is read. */
async function readAttachedMail(mail: ParsedMail, { parse }: Readers, toText: ToText, lane: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { mimeType, content } of mail.attachments.slice(0, MOST_FILES)) {
    if (mimeType !== 'message/rfc822') continue;
    try {
      const inner = await parse(Buffer.from(content, 'base64'), lane);
      if (!inner) {
        texts.push('(An attached mail took too long to read.)');
        continue;
      }
      const { own, quoted, mixed } = await textOf(inner, toText);
      const from = oneLine(valuesOf(inner, 'from')[0] ?? '').slice(0, 200);
      texts.push(
        `From: ${from}\nSubject: ${oneLine(inner.subject ?? '').slice(0, 200)}\n\n${mixed || own}\n${quoted}`.trim(),
      );
    } catch {
      texts.push('(An attached mail is malformed.)');
    }
  }
  return texts;
}

const filesOf = (mail: ParsedMail): StoredFile[] =>
  mail.attachments
    .filter((file) => file.mimeType !== 'message/rfc822' && !isDecoration(file))
    .slice(0, MOST_FILES)
    .map(({ filename, mimeType, content }) => ({
      name: filename === null ? null : oneLine(filename).slice(0, 255),
      mediaType: cleanMediaType(mimeType),
      base64: content,
    }));

const isDecoration = ({ related, content, mimeType }: AttachedFile) =>
  related === true && mimeType.startsWith('image/') && content.length * 0.75 < LEAST_PICTURE;
