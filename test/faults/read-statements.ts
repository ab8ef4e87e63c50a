/** One message of a PostgreSQL client. */
type Message = {
  readonly bytes: Buffer;
  /** The statement that the message runs, if any: a simple query, or the values for a prepared one. */
  readonly statement?: string;
  /** The server answers now. */
  readonly ends: boolean;
  /** Of another protocol, and not necessarily complete. */
  readonly foreign?: true | undefined;
};

const [QUERY, PARSE, BIND, SYNC] = ['Q', 'P', 'B', 'S'].map((letter) => letter.charCodeAt(0));
const FIRST_OF_A_SESSION = 3 << 16; // the version of the protocol, not a request for TLS or a cancel
const LONGEST_FIRST = 10_000; // any other beginning is not a PostgreSQL client

/** Takes the bytes of a client in pieces of any size and returns the complete messages. Other protocols pass unchanged. */
export function readStatements(): (data: Buffer) => Message[] {
  const prepared = new Map<string, string>();
  let waiting: Buffer[] = [];
  let length = 0;
  let started = false;
  let foreign: true | undefined;

  function* messages(): Generator<Message> {
    for (;;) {
      const typed = started ? 1 : 0;
      if (length < typed + 4) return;
      if ((waiting[0]?.length ?? 0) < typed + 4) waiting = [Buffer.concat(waiting)];
      const size = typed + (waiting[0]?.readUInt32BE(typed) ?? 0);
      if (!started && size > LONGEST_FIRST) foreign = true;
      if (foreign || length < size) return;
      const all = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
      if (!all) return;
      const bytes = all.subarray(0, size);
      waiting = [all.subarray(size)];
      length -= size;
      if (started) yield parse(bytes);
      else {
        started = bytes.readUInt32BE(4) === FIRST_OF_A_SESSION;
        yield { bytes, ends: false };
      }
    }
  }

  function parse(bytes: Buffer): Message {
    const [first = '', second = ''] = bytes[0] === PARSE || bytes[0] === BIND ? namesIn(bytes) : [];
    if (bytes[0] === PARSE) prepared.set(first, second);
    if (bytes[0] === QUERY) return { bytes, statement: bytes.toString('utf8', 5, bytes.length - 1), ends: true };
    if (bytes[0] === BIND) return { bytes, statement: prepared.get(second) ?? '', ends: false };
    return { bytes, ends: bytes[0] === SYNC };
  }

  return (data) => {
    waiting.push(data);
    length += data.length;
    const found = foreign ? [] : [...messages()];
    return foreign
      ? waiting.splice(0).map((bytes) => ({ bytes, statement: bytes.toString(), ends: true, foreign }))
      : found;
  };
}

/** The two strings at the start of a message. */
function namesIn(bytes: Buffer): [string, string] {
  const middle = bytes.indexOf(0, 5);
  const end = bytes.indexOf(0, middle + 1);
  return [bytes.toString('utf8', 5, middle), bytes.toString('utf8', middle + 1, end)];
}
