import { z } from 'zod';
import type { Incoming, PassedOn } from '#agent/chats/chat-port.ts';
import type { NewUpdate } from '#domain/chat/chat.ts';
import { isForward, plainSubject } from './mail-text.ts';
import { chatOf } from './mail-thread.ts';

const file = z.object({ name: z.string().nullable(), mediaType: z.string(), base64: z.string() });
const storedMail = z.object({
  uid: z.int(),
  /** Why it leads to nothing; then nothing else is kept. */
  refusal: z.string().nullable(),
  from: z.string(),
  name: z.string(),
  messageId: z.string(),
  references: z.array(z.string()),
  subject: z.string(),
  thread: z.string(),
  isReply: z.boolean(),
  text: z.string(),
  quoted: z.string(),
  files: z.array(file),
});

/** A mail in the inbox of the service. It contains its files, because the mailbox can change. */
export type StoredMail = z.infer<typeof storedMail>;
export type StoredFile = z.infer<typeof file>;

const COMMAND = /^\/(\w{1,20})(?:\s+(.*))?$/;
const URGENT = /^\/(?:stop|status)\b/;

export function fileMail({ remoteId, ...mail }: StoredMail & { readonly remoteId: string }): NewUpdate {
  const lane = mail.refusal === null ? chatOf(mail.from, mail.thread) : 'refused';
  return {
    remoteId,
    lane: `${lane}${URGENT.test(mail.text) ? '!' : ''}`,
    position: mail.uid,
    sender: mail.refusal === null ? mail.from : null,
    body: mail,
  };
}

export function readStored(given: unknown): Incoming | undefined {
  const parsed = storedMail.safeParse(given);
  if (!parsed.success) return undefined;
  const mail = parsed.data;
  const sender = mail.refusal === null ? { id: mail.from, name: mail.name } : null;
  const { messageId: id, references, subject } = mail;
  const where = {
    sender,
    chat: chatOf(mail.from, mail.thread),
    isGroup: false,
    replyTo: JSON.stringify({ id, references, subject }),
    refusal: mail.refusal ?? undefined,
  };
  const words = wordsOf(mail);
  const [, name, argument = ''] = COMMAND.exec(words.own.split('\n', 1)[0] ?? '') ?? [];
  if (name)
    return { ...where, kind: 'command', name: name.toLowerCase(), argument: argument.trim(), isAddressed: true };
  const files = mail.files.map(({ name: filename, mediaType, base64 }) => ({
    id: base64,
    mediaType,
    name: filename,
    bytes: Math.floor(base64.length * 0.75),
  }));
  return { ...where, kind: 'message', text: words.own, byOthers: words.byOthers, files, isAddressed: true };
}

/**
 * The subject is a part of the request in a new conversation, and all of it when nothing else is written. The subject of an
 * answered or forwarded mail is by someone else, like the text below it.
 */
function wordsOf({ text, quoted, subject, isReply }: StoredMail): { own: string; byOthers: readonly PassedOn[] } {
  const source = isForward(subject) ? 'forwarded' : 'quoted';
  const pass = (words: string): PassedOn[] => (words === '' ? [] : [{ text: words, source }]);
  if (isReply || subject === '') return { own: text, byOthers: pass(quoted) };
  // Where the forwarded text begins is not known, so all of it may be by someone else.
  if (isForward(subject) && quoted === '') return { own: '', byOthers: pass(`Subject: ${subject}\n\n${text}`.trim()) };
  const isForeign = quoted !== '' || plainSubject(subject) !== subject;
  if (isForeign) return { own: text, byOthers: pass(`Subject: ${subject}\n\n${quoted}`.trim()) };
  return { own: text === '' ? subject : `${text}\n\n(Subject: ${subject})`, byOthers: [] };
}
