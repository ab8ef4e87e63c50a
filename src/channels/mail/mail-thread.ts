import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { domainOf } from './mail-settings.ts';
import { plainSubject } from './mail-text.ts';

const digest = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);
const subjectDigest = (subject: string) => digest(plainSubject(subject).toLowerCase(), 12);

/** What an answer needs to know of the mail that it answers. It is the `replyTo` of a place. */
const answered = z.object({ id: z.string(), references: z.array(z.string()), subject: z.string() });
export type Answered = z.infer<typeof answered>;

export const parseAnswered = (replyTo: string): Answered => answered.parse(JSON.parse(replyTo));

/** A chat is the address of a person, or `ADDRESS THREAD` in a conversation. Addresses contain no spaces. */
export const chatOf = (address: string, thread: string) => `${address} ${thread}`;
export function parseChat(chat: string): { readonly address: string; readonly thread: string | undefined } {
  const [address = '', thread] = chat.split(' ');
  return { address, thread };
}

const OURS = /^<r\.[\w-]{1,100}\.([\da-f]{32})\.([\da-f]{12})@([^<>\s@]{1,255})>$/;

/**
 * The conversation of a mail: the one whose id is in a reference to a mail of ours, if the subject is still the same. Otherwise a
 * new one, whose id can't be guessed, because it is a digest of the whole mail.
 */
export function threadOf(
  mail: { readonly references: readonly string[]; readonly subject: string; readonly source: string },
  account: string,
): { readonly thread: string; readonly isReply: boolean } {
  for (const reference of mail.references.toReversed()) {
    const [, thread, about, domain] = OURS.exec(reference) ?? [];
    if (thread && domain === domainOf(account) && about === subjectDigest(mail.subject))
      return { thread, isReply: true };
  }
  return { thread: digest(`thread ${mail.source}`, 32), isReply: false };
}

/** How the id of the mail with this key begins. */
export const messageIdBegin = (key: string) => `<r.${key.replaceAll(/[^\w-]/g, '-')}.`;

/** The id of a mail of ours. It is the same when a mail is sent again, and carries the conversation. */
export function messageIdFor(mail: { key: string; thread: string | undefined; subject: string }, account: string) {
  const key = mail.key || randomUUID();
  const thread = mail.thread ?? digest(`notice ${key}`, 32);
  return `${messageIdBegin(key)}${thread}.${subjectDigest(mail.subject)}@${domainOf(account)}>`;
}
