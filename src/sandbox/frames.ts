/** A header and the bytes that belong to it. */
export type Frame = { readonly header: Readonly<Record<string, unknown>>; readonly body: Buffer };

const LENGTH_BYTES = 4;
/** A path of 1,024 bytes with every letter escaped fits. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Four bytes with the length of the header, the header as JSON with the length of the body, the body. */
export function encodeFrame(header: Readonly<Record<string, unknown>>, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const json = Buffer.from(JSON.stringify({ ...header, bytes: body.length }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, body]);
}

/**
 * Takes the received chunks, whoever wrote them. It throws on a header that is too long or not an object with a valid length,
 * and on a body above the limit, before it waits for their bytes.
 */
export function createFrameReader(maxBodyBytes: number, onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = LENGTH_BYTES;
  let header: Frame['header'] | undefined;
  let part: 'length' | 'header' | 'body' = 'length';

  function read(bytes: Buffer): void {
    if (part === 'length') {
      wanted = bytes.readUInt32BE();
      if (wanted > MAX_HEADER_BYTES) throw new Error(`A header of ${wanted} bytes came.`);
      part = 'header';
    } else if (part === 'header') {
      header = parseHeader(bytes);
      wanted = bodyBytes(header, maxBodyBytes);
      part = 'body';
    } else {
      const frame = { header: header ?? {}, body: bytes };
      wanted = LENGTH_BYTES;
      part = 'length';
      onFrame(frame);
    }
  }

  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted) return;

    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, held);
    while (rest.length >= wanted) {
      const bytes = rest.subarray(0, wanted);
      rest = rest.subarray(wanted);
      read(bytes);
    }
    chunks = [rest];
    held = rest.length;
  };
}

function parseHeader(bytes: Buffer): Frame['header'] {
  const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (typeof header !== 'object' || header === null || Array.isArray(header)) throw new Error('A header is no object.');
  return header as Frame['header'];
}

function bodyBytes(header: Frame['header'], maxBodyBytes: number): number {
  const { bytes } = header;
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 0) throw new Error('A header has no valid length.');
  if ((bytes as number) > maxBodyBytes) throw new Error(`A body of ${bytes as number} bytes is announced.`);
  return bytes as number;
}
