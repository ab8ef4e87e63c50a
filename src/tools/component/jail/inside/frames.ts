/** A message and the bytes that go with it: a file, or a body. */
export type Frame = { readonly message: unknown; readonly bytes: Uint8Array };

const HEADER_BYTES = 8;
const NOTHING = new Uint8Array(0);

/** Two lengths, the message as JSON, the bytes. Node's own channel has no limit, and obeys internal messages. */
export function encodeFrame(message: unknown, bytes: Uint8Array = NOTHING): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(message));
  const frame = new Uint8Array(HEADER_BYTES + json.length + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, json.length);
  view.setUint32(4, bytes.length);
  frame.set(json, HEADER_BYTES);
  frame.set(bytes, HEADER_BYTES + json.length);
  return frame;
}

/** Takes the received chunks. It throws on a frame above the limit, and on a message that is not JSON. */
export function createFrameReader(maxBytes: number, onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let wanted = HEADER_BYTES;

  return (chunk) => {
    chunks.push(chunk);
    held += chunk.length;
    if (held < wanted) return;

    let rest = join(chunks, held);
    for (;;) {
      wanted = frameBytes(rest);
      if (wanted > maxBytes) throw new Error(`A frame of ${wanted} bytes came; the limit is ${maxBytes}.`);
      if (rest.length < wanted) break;
      onFrame(decode(rest.subarray(0, wanted)));
      rest = rest.subarray(wanted);
    }
    chunks = [rest];
    held = rest.length;
  };
}

function frameBytes(held: Uint8Array): number {
  if (held.length < HEADER_BYTES) return HEADER_BYTES;
  const view = new DataView(held.buffer, held.byteOffset);
  return HEADER_BYTES + view.getUint32(0) + view.getUint32(4);
}

function decode(frame: Uint8Array): Frame {
  const jsonEnd = HEADER_BYTES + new DataView(frame.buffer, frame.byteOffset).getUint32(0);
  const message: unknown = JSON.parse(new TextDecoder().decode(frame.subarray(HEADER_BYTES, jsonEnd)));
  // A copy, for the frame may be a slice of a larger buffer that is used again.
  return { message, bytes: frame.slice(jsonEnd) };
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;

  const joined = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}
