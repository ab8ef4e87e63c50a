import type { Documents } from '#documents/documents.ts';
import { firstPages } from '#documents/first-pages.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { extensionOf, isTextType } from '#domain/text/media-type.ts';
import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { hashOfPart, isAttached } from '#domain/thread/attachment.ts';
import { type AttachedPart, type ContentPart, text } from '#domain/thread/item.ts';
import { documentKindOf } from '#domain/workspace/document.ts';
import type { Model, Prompt } from '#models/model.ts';

type Owner = Pick<Principal, 'userId'>;

/**
 * Replaces files in messages that a model can't look at by their text: those of office programs, mails, and PDFs for models that
 * don't read them. Each text is read once per attempt. A prompt without such files costs nothing.
 */
export function createDocumentTexts(
  documents: Pick<Documents, 'findRead' | 'readPages'>,
  owner: Owner,
  signal: AbortSignal,
) {
  const texts = new Map<AttachmentHash, Promise<string>>();
  const textOf = (part: AttachedPart) => {
    const sha256 = hashOfPart(part);
    const known = texts.get(sha256) ?? readText(sha256);
    texts.set(sha256, known);
    return known;
  };

  async function readText(sha256: AttachmentHash): Promise<string> {
    const [document] = await documents.findRead(owner, [sha256], signal);
    if (!document || document.state === 'waiting') return 'Its text is not read yet. Use reborn_document_read.';
    if (document.state === 'failed') return `Its text can't be read. ${document.reason ?? ''}`;
    const pages = await documents.readPages(owner, document, { from: 1, to: document.pages });
    const { shown, next } = firstPages(pages);
    const parts = shown.map((each) => `[p. ${each.page}]\n${each.text}`);
    if (next !== undefined) parts.push(`The text continues on page ${next}: use reborn_document_read.`);
    if (document.kind === 'pdf' && document.emptyPages > 0)
      parts.push(`Pages without text, such as scans: ${document.emptyPages}. Look at them with reborn_document_read.`);
    return parts.join('\n\n') || 'It has no text.';
  }

  async function replace(part: ContentPart, model: Model): Promise<ContentPart> {
    if (!isAttached(part) || !needsText(part, model)) return part;
    const words = await textOf(part);
    const name = part.filename ?? part.mediaType;
    return text(part.origin === 'own' ? `[${name}]\n${words}` : wrapUntrusted(words, name, Number.POSITIVE_INFINITY));
  }

  return async (prompt: Prompt<ContentPart>, model: Model): Promise<Prompt<ContentPart>> => {
    const messages = prompt.messages.map(async (message) =>
      message.role === 'user' && message.content.some((part) => isAttached(part) && needsText(part, model))
        ? { ...message, content: await Promise.all(message.content.map((part) => replace(part, model))) }
        : message,
    );
    return { ...prompt, messages: await Promise.all(messages) };
  };
}

/** What is unknown of a model is not taken from it: it gets the PDF. */
function needsText(part: AttachedPart, { reads }: Model): boolean {
  const kind = documentKindOf(part.filename ?? extensionOf(part.mediaType));
  if (!kind || isTextType(part.mediaType)) return false;
  return kind !== 'pdf' || (reads ? !reads.includes('pdf') : false);
}
