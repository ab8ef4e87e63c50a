/** Encoding and sending a piece takes a few milliseconds. */
const PIECE_BYTES = 128 * 1024;

/** The same bytes, not copied, in pieces for which the event loop is held up only shortly. */
export function* piecesOf(bytes: Uint8Array): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  }
}
