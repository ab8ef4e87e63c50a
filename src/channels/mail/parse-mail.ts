import PostalMime, { type Attachment, type Email } from 'postal-mime';

const BOUNDS = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true } as const;

export type ParsedMail = Omit<Email, 'attachments'> & { readonly attachments: readonly AttachedFile[] };
/** The content is in base64. */
export type AttachedFile = Omit<Attachment, 'content' | 'encoding'> & { readonly content: string };

/** One of 20 MiB takes about a second, so the service does this in a worker thread. */
export async function parseMail(source: Uint8Array): Promise<ParsedMail> {
  // Its own base64 needs ten times the memory.
  const { attachments, ...mail } = await PostalMime.parse(source, { ...BOUNDS, attachmentEncoding: 'arraybuffer' });
  return { ...mail, attachments: attachments.map(encode) };
}

function encode({ content, encoding: _, ...attachment }: Attachment): AttachedFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
  return { ...attachment, content: bytes.toString('base64') };
}
