import type { Client } from './client.ts';

/** What has become of the conversations so far. `tooLarge`: the service does not take one of this size. */
export type ImportTotals = {
  readonly imported: number;
  readonly known: number;
  readonly empty: number;
  readonly unreadable: number;
  readonly tooLarge: number;
};

export type ImportOptions = {
  /** The person says that they wrote the messages of the user in it. */
  readonly own?: boolean;
  readonly onProgress?: (totals: ImportTotals) => void;
  readonly signal?: AbortSignal;
};

/** The file is not a list of conversations, or ends too early. */
export class NotAnExport extends Error {
  override readonly name = 'NotAnExport';
}

const MOST_AT_ONCE = 50;
const BYTES_AT_ONCE = 1_000_000;
/** A bit less than the service takes, because it also reads the frame around it. */
const MOST_BYTES = 32_000_000;

/**
 * Imports the conversations of `conversations.json` from ChatGPT's export, a few at a time: the file can be larger than the
 * memory. What was imported before is not imported again, so after a failure the same file continues.
 */
export async function importChats(
  client: Client,
  file: ReadableStream<Uint8Array>,
  { own = false, onProgress, signal }: ImportOptions = {},
): Promise<ImportTotals> {
  let totals: ImportTotals = { imported: 0, known: 0, empty: 0, unreadable: 0, tooLarge: 0 };
  let batch: Record<string, unknown>[] = [];
  let bytes = 0;
  const count = (state: keyof ImportTotals) => {
    totals = { ...totals, [state]: totals[state] + 1 };
  };
  const send = async () => {
    if (batch.length === 0) return;
    const body = { conversations: batch, own };
    const { results } = await client.call('POST /api/imports/chatgpt', { body, ...(signal && { signal }) });
    for (const { state } of results) count(state);
    [batch, bytes] = [[], 0];
    onProgress?.(totals);
  };
  for await (const text of entriesIn(file)) {
    const size = new TextEncoder().encode(text).length;
    if (size > MOST_BYTES) {
      count('tooLarge');
      continue;
    }
    if (bytes + size > BYTES_AT_ONCE || batch.length === MOST_AT_ONCE) await send();
    batch.push(parse(text));
    bytes += size;
  }
  await send();
  return totals;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new NotAnExport('The file is not the JSON of an export.', { cause });
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE, COMMA] = ['"', '\\', '[', ']', '{', '}', ','].map((sign) =>
  sign.charCodeAt(0),
);

/** The texts of the objects in a JSON list, as soon as each has arrived. */
async function* entriesIn(file: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = file.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let entry = '';
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const chunk = next.value;
      let start = 0; // of the entry, in this chunk
      for (let at = 0; at < chunk.length; at++) {
        const sign = chunk.charCodeAt(at);
        if (isEscaped) isEscaped = false;
        else if (inText) {
          if (sign === BACKSLASH) isEscaped = true;
          else if (sign === QUOTE) inText = false;
        } else if (depth === 0) {
          if (isSpace(sign)) continue;
          if (sign !== OPEN_LIST) throw new NotAnExport('The file is not a list of conversations.');
          depth = 1;
        } else if (depth === 1 && sign === CLOSE_LIST) return;
        else if (depth === 1 && sign !== OPEN) {
          if (!isSpace(sign) && sign !== COMMA) throw new NotAnExport('The file is not a list of conversations.');
        } else if (sign === QUOTE) inText = true;
        else if (sign === OPEN || sign === OPEN_LIST) {
          if (depth === 1) start = at;
          depth++;
        } else if (sign === CLOSE || sign === CLOSE_LIST) {
          depth--;
          if (depth > 1) continue;
          yield entry + chunk.slice(start, at + 1);
          entry = '';
        }
      }
      if (depth > 1) entry += chunk.slice(start);
    }
    throw new NotAnExport('The file ends in the middle of a conversation.');
  } finally {
    await reader.cancel().catch(() => {}); // what follows is not needed
  }
}

const isSpace = (sign: number) => sign === 0x20 || (sign >= 0x09 && sign <= 0x0d) || sign === 0xfeff;
