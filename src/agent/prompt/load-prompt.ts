import type { AttachmentHash } from '#domain/ids.ts';
import { AttachmentUnavailable, fittingHashes, isStored, leftOut, toInline } from '#domain/thread/attachment.ts';
import { type ContentPart, type LoadedPart, text } from '#domain/thread/item.ts';
import type { Prompt, PromptMessage } from '#models/model.ts';
import type { ReadAttachments } from '../attachments/stored-bytes.ts';

/**
 * Reads the attachments of a prompt, the newest ones if they are too many. An earlier one that is lost is replaced by a note, so that its thread continues. The
 * turn fails if an attachment of the turn itself (`own`) is lost, or if the storage does not answer.
 */
export async function loadPrompt(
  read: (hashes: readonly AttachmentHash[]) => Promise<ReadAttachments>,
  prompt: Prompt<ContentPart>,
  own: ReadonlySet<AttachmentHash>,
): Promise<Prompt> {
  const fitting = fittingHashes(prompt.messages.flatMap(contentOf).filter(isStored));
  const found: ReadAttachments = fitting.size === 0 ? new Map() : await read([...fitting]);
  const load = (part: ContentPart): LoadedPart => {
    if (!isStored(part)) return part;
    if (!fitting.has(part.sha256)) return leftOut(part);
    const bytes = found.get(part.sha256) ?? new AttachmentUnavailable('missing');
    if (Buffer.isBuffer(bytes)) return toInline(part, bytes);
    if (bytes.reason === 'unreachable' || own.has(part.sha256)) throw bytes;
    return text(`[${part.type} left out: it can't be read any more]`);
  };
  return { ...prompt, messages: prompt.messages.map((message) => loadMessage(message, load)) };
}

function contentOf(message: PromptMessage<ContentPart>): readonly ContentPart[] {
  if (message.role === 'assistant') return [];
  return message.role === 'tool' ? message.output : message.content;
}

function loadMessage(message: PromptMessage<ContentPart>, load: (part: ContentPart) => LoadedPart): PromptMessage {
  if (message.role === 'assistant') return message;
  if (message.role === 'tool') return { ...message, output: message.output.map(load) };
  return { ...message, content: message.content.map(load) };
}
