import { type ContentPart, text, textByOthers } from '#domain/thread/item.ts';
import { ChatFailed } from '../chat-port.ts';
import type { HandledUpdate } from './handled-update.ts';

const MOST_FILES = 10;
const MOST_BYTES = 9 * 1024 * 1024;

/** What a message says, with its files. It has no content if there is nothing to answer. */
export async function readContent({ connection, incoming }: HandledUpdate<'message'>): Promise<ContentPart[]> {
  const parts: ContentPart[] = [];
  const notes: string[] = [];
  for (const file of incoming.files.slice(0, MOST_FILES)) {
    const name = file.name ?? 'a file';
    if ((file.bytes ?? 0) > MOST_BYTES) {
      notes.push(`[${name} is larger than 9 MiB and was left out.]`);
      continue;
    }
    const bytes = await connection.download(file).catch((error: unknown) => {
      if (error instanceof ChatFailed && error.result.outcome === 'refused') return undefined;
      throw error;
    });
    if (!bytes || bytes.length === 0) notes.push(`[${name} could not be read.]`);
    else parts.push(toPart(file, Buffer.from(bytes).toString('base64')));
  }
  const passedOn = incoming.byOthers.filter(({ text: words }) => words.trim() !== '');
  return [
    ...(incoming.text.trim() === '' ? [] : [text(incoming.text)]),
    ...passedOn.map(({ text: words, source }) => textByOthers(words, source)),
    // The names of files are not the sender's words.
    ...(notes.length > 0 ? [textByOthers(notes.join('\n'), 'files')] : []),
    ...parts,
  ];
}

function toPart({ mediaType, name }: { mediaType: string; name: string | null }, base64: string): ContentPart {
  return mediaType.startsWith('image/')
    ? { type: 'image', mediaType, base64, ...(name && { filename: name }) }
    : { type: 'file', mediaType, base64, filename: name };
}
