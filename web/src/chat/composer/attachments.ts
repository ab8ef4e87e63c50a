import type { ChatRequest } from '@reborn-agent/client/api';

export type Attachment = NonNullable<ChatRequest['attachments']>[number];

/** A file that goes along with the next message. */
export type Picked = { readonly id: string; readonly file: File };

export function pick(files: Iterable<File>): Picked[] {
  return [...files].map((file) => ({ id: crypto.randomUUID(), file }));
}

export type Limits = { readonly attachments: number; readonly attachment_bytes: number };

/** Why these files can't be sent, or nothing. */
export function findProblem(picked: readonly Picked[], limits: Limits): string | undefined {
  if (picked.length > limits.attachments)
    return `A message may have ${limits.attachments} attachments. Take some away.`;
  const large = picked.find(({ file }) => file.size > limits.attachment_bytes);
  if (large) return `${large.file.name} is too large. An attachment may have ${formatBytes(limits.attachment_bytes)}.`;
  return undefined;
}

export async function toAttachment({ file }: Picked): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { name: file.name, media_type: file.type || 'application/octet-stream', data: toBase64(bytes) };
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return btoa(text);
}

const CHUNK = 8192;

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} kB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
