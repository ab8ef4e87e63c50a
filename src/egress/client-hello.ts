/** What the first bytes of a connection are: a ClientHello for a name, something else, or undefined while bytes are missing. */
type Hello = { readonly name: string } | { readonly problem: string } | undefined;

const RECORD_HEADER = 5;
const MOST_RECORD_BYTES = 2 ** 14;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** The final number of an encrypted ClientHello, those of its drafts, and of its predecessor. */
const ENCRYPTED = [0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xfe0d, 0xffce];

/**
 * Reads the name that a TLS client asks for. The whole ClientHello must be in the first record, and the name must be readable:
 * otherwise the server could take another name out of it than we do.
 */
export function readClientHello(bytes: Buffer): Hello {
  if ((bytes[0] ?? HANDSHAKE) !== HANDSHAKE || (bytes[1] ?? 3) !== 3) return { problem: 'not TLS' };
  if (bytes.length < RECORD_HEADER) return undefined;
  const length = bytes.readUInt16BE(3);
  if (length > MOST_RECORD_BYTES) return { problem: 'not TLS' };
  if (bytes.length < RECORD_HEADER + length) return undefined;
  try {
    return readName(bytes.subarray(RECORD_HEADER, RECORD_HEADER + length));
  } catch (error) {
    if (error instanceof Malformed) return { problem: 'no whole ClientHello' };
    throw error;
  }
}

function readName(record: Buffer): Hello {
  const outer = createCursor(record);
  if (outer.number(1) !== CLIENT_HELLO) return { problem: 'no ClientHello' };
  const hello = createCursor(outer.vector(3));
  outer.end();
  hello.take(2 + 32); // version and random
  for (const lengthBytes of [1, 2, 1]) hello.vector(lengthBytes); // session, cipher suites, compression
  const extensions = extensionsIn(hello.vector(2));
  hello.end();
  if (ENCRYPTED.some((type) => extensions.has(type))) return { problem: 'an encrypted ClientHello' };
  const named = extensions.get(SERVER_NAME);
  if (!named) return { problem: 'a ClientHello without a name' };
  return { name: onlyName(named) };
}

function extensionsIn(bytes: Buffer): Map<number, Buffer> {
  const cursor = createCursor(bytes);
  const found = new Map<number, Buffer>();
  while (!cursor.isAtEnd()) {
    const type = cursor.number(2);
    if (found.has(type)) throw new Malformed();
    found.set(type, cursor.vector(2));
  }
  return found;
}

/** A list that must have exactly one entry. */
function onlyName(extension: Buffer): string {
  const outer = createCursor(extension);
  const list = createCursor(outer.vector(2));
  outer.end();
  if (list.number(1) !== HOST_NAME) throw new Malformed();
  const name = list.vector(2).toString('latin1');
  list.end();
  return name;
}

class Malformed extends Error {}

function createCursor(bytes: Buffer) {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = (length: number): number => take(length).readUIntBE(0, length);
  const isAtEnd = (): boolean => at === bytes.length;
  return {
    take,
    number,
    isAtEnd,
    /** Bytes after their length. */
    vector: (lengthBytes: number): Buffer => take(number(lengthBytes)),
    end() {
      if (!isAtEnd()) throw new Malformed();
    },
  };
}
