import { plural, t } from '@lingui/core/macro';
import type { ChatRequest } from '@reborn-agent/client/api';
import { formatBytes } from '../../format/number.ts';

/** `own`: the person says that they wrote it. Otherwise it counts as text by others. */
export type Attachment = NonNullable<ChatRequest['attachments']>[number] & { readonly origin?: 'own' };

/** A file that goes along with the next message. Without a media type, no model can read it. */
export type Picked = {
  readonly id: string;
  readonly file: File;
  readonly mediaType: string | undefined;
  readonly isOwn: boolean;
};

let picks = 0;

export function pick(files: Iterable<File>): Promise<Picked[]> {
  return Promise.all(
    Array.from(files, async (file) => ({
      id: `file ${++picks}`,
      file,
      mediaType: await findMediaType(file),
      isOwn: false,
    })),
  );
}

const READABLE = /^(?:text|image|audio|video)\/|^application\/pdf$|[/+](?:x-)?(?:nd)?(?:json|xml|yaml)\b/i;
/** Files of office programs, and mails: the service reads their text. */
const DOCUMENT = /\.(?:docx|docm|xlsx|xlsm|pptx|odt|eml)$/i;
const SNIFFED_BYTES = 4096;

/** Browsers know few types of text files, so a file that looks like text is one. */
async function findMediaType(file: File): Promise<string | undefined> {
  if (DOCUMENT.test(file.name)) return file.type || 'application/octet-stream';
  const isOfficeFile = file.type.includes('officedocument') || file.type.includes('opendocument');
  if (READABLE.test(file.type) && !isOfficeFile) return file.type;
  try {
    const start = new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer());
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return start.includes(0) ? undefined : 'text/plain';
  } catch {
    return undefined;
  }
}

export type Limits = { readonly attachments: number; readonly attachment_bytes: number };

/** Why these files can't be sent, or nothing. */
export function findProblem(picked: readonly Picked[], limits: Limits): string | undefined {
  if (picked.length > limits.attachments)
    return plural(limits.attachments, {
      one: 'A message may have # attachment. Take some away.',
      other: 'A message may have # attachments. Take some away.',
    });
  const unreadable = picked.find(({ mediaType }) => mediaType === undefined);
  if (unreadable) return t`Models can't read ${unreadable.file.name}. Save it as a PDF or as text, and attach that.`;
  const large = picked.find(({ file }) => file.size > limits.attachment_bytes);
  if (large) return t`${large.file.name} is too large. An attachment may have ${formatBytes(limits.attachment_bytes)}.`;
  return undefined;
}

export async function toAttachment({ file, mediaType, isOwn }: Picked): Promise<Attachment> {
  const data = toBase64(new Uint8Array(await file.arrayBuffer()));
  const media_type = mediaType ?? 'application/octet-stream';
  return { name: file.name, media_type, data, ...(isOwn && { origin: 'own' }) };
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return btoa(text);
}

const CHUNK = 8192;
