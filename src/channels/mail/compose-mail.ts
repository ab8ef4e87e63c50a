import { Readable } from 'node:stream';
import type { ChatMessage } from '#agent/chats/chat-port.ts';
import { renderMailHtml } from './mail-html.ts';
import { piecesOf } from './mail-pieces.ts';
import { messageIdFor, parseAnswered, parseChat } from './mail-thread.ts';

const MOST_REFERENCES = 20;

/** `read` composes the mail while it is read, because encoding a large file takes long. */
export type Composed = {
  readonly to: string;
  readonly messageId: string;
  readonly read: () => AsyncIterable<Uint8Array>;
};

type Asked = { readonly chat: string; readonly message: ChatMessage; readonly key: string; readonly account: string };

/** A mail as plain text and as HTML. Programs see that they must not answer it. */
export async function composeMail(asked: Asked): Promise<Composed> {
  const { message, account, key } = asked;
  const { address: to, thread } = parseChat(asked.chat);
  const subject = subjectOf(message);
  const answered = message.replyTo === undefined ? undefined : parseAnswered(message.replyTo);
  const messageId = messageIdFor({ key, thread, subject }, account);
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer'); // few installations need it
  const references = answered ? [...answered.references.slice(-MOST_REFERENCES), answered.id].filter(Boolean) : [];
  const mail = {
    from: account,
    to,
    subject,
    messageId,
    ...(answered?.id && { inReplyTo: answered.id }),
    ...(references.length > 0 && { references }),
    headers: { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' },
    text: message.markdown,
    html: renderMailHtml(message.markdown),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const read = () =>
    new MailComposer({ ...mail, attachments: (message.files ?? []).map(attach) }).compile().createReadStream();
  return { to, messageId, read };
}

/** A mail as an attachment is not encoded, but looked at. */
const attach = ({ name, mediaType, bytes }: NonNullable<ChatMessage['files']>[number]) => ({
  filename: name,
  contentType: mediaType,
  content: /^message\//i.test(mediaType) ? Buffer.from(bytes) : Readable.from(piecesOf(bytes)),
});

/** An answer has the subject of the mail; anything else begins with a line that says what it is. */
function subjectOf({ markdown, replyTo }: ChatMessage): string {
  if (replyTo !== undefined) {
    const { subject } = parseAnswered(replyTo);
    return /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim();
  }
  const line = markdown.split('\n').find((each) => each.trim() !== '') ?? '';
  return (
    line
      .replaceAll(/[*_`#\p{Cc}]/gu, '')
      .trim()
      .slice(0, 120) || 'Message'
  );
}
