import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { codeOf, EgressFailed } from './egress-failure.ts';

/** One request and its answer over a connection, which is always closed afterwards. */
export async function exchange(
  socket: Socket,
  url: URL,
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressAnswer> {
  const client = new Client(url.origin, { ...CLIENT, connect: offer(socket) });
  const { promise: answered, resolve, reject } = Promise.withResolvers<EgressAnswer>();
  const abort = () => client.destroy(signal.reason as Error, () => {});
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    client.dispatch(toDispatch(url, request), receiveAnswer(url.hostname, request, resolve, reject));
    const answer = await answered;
    // undici takes a lost connection for the end of a body that has no declared length.
    if (codeOf(socket.errored) === 'ECONNRESET') throw new ConnectionLost();
    return answer;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** The deadline is enforced outside, so the client has none. The parser is set because the environment could choose another. */
const CLIENT = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 32 * 1024, useMilo: false } as const;

/** undici reconnects when a connection is lost. Only this connection may be used, so another attempt fails. */
function offer(socket: Socket): NonNullable<Client.Options['connect']> {
  // Deferred, because the client is not ready for a callback during the call.
  return (_options, callback) =>
    queueMicrotask(() => (socket.destroyed ? callback(new ConnectionLost(), null) : callback(null, socket)));
}

class ConnectionLost extends Error {
  readonly code = 'ECONNRESET';
}

function toDispatch(url: URL, { method, headers = {}, body }: EgressRequest): Dispatcher.DispatchOptions {
  const chosen = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding');
  return {
    path: url.pathname + url.search,
    method,
    headers: chosen ? headers : { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
    reset: true,
  };
}

function receiveAnswer(
  host: string,
  { method, maxResponseBytes, onHead, onChunk }: EgressRequest,
  resolve: (answer: EgressAnswer) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const body = createBoundedBody(host, maxResponseBytes);
  let head: Pick<EgressAnswer, 'status' | 'headers'> | undefined;
  return {
    onRequestStart() {},
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      head = { status, headers: toRecord(headers) };
      if (method !== 'HEAD' && status !== 304) body.checkLength(Number(head.headers['content-length'] ?? 0));
      onHead?.(head);
    },
    onResponseData(_controller, chunk) {
      onChunk?.(chunk.length, chunk);
      body.add(chunk);
    },
    onResponseEnd: () => (head ? resolve({ ...head, body: body.whole() }) : reject(new ConnectionLost())),
    onResponseError: (_controller, error) => reject(error),
  };
}

function toRecord(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}

/**
 * Collects a body up to a limit. Chunks are copied instead of kept, because a kept chunk has an overhead of 200 bytes, and
 * a peer may send one byte per chunk.
 */
function createBoundedBody(host: string, limit: number) {
  let bytes = new Uint8Array(0);
  let length = 0;

  /** Throws `EgressFailed` if a body of this length would be too large. */
  function checkLength(wanted: number): void {
    // Written so that a limit of NaN lets nothing through.
    if (!(wanted <= limit)) throw new EgressFailed(`The answer of ${host} is larger than ${limit} bytes.`);
  }

  function add(chunk: Uint8Array): void {
    const wanted = length + chunk.length;
    checkLength(wanted);
    if (wanted > bytes.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(wanted, 2 * bytes.length)));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = wanted;
  }

  return { checkLength, add, whole: () => bytes.slice(0, length) };
}

export type EgressRequest = {
  readonly method: string;
  readonly url: URL | string;
  /** A port besides 443, set by the operator or a tool's capabilities file, never by the author of the URL. */
  readonly namedPort?: number | undefined;
  /** An origin on a private network that the operator allows, such as `http://10.0.0.5:8080`. Never set by the author of the URL. */
  readonly privateOrigin?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** For the whole request: lookup, connection, headers and body. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  /** Called when the answer starts, for bodies that are read while they arrive. */
  readonly onHead?: (head: Pick<EgressAnswer, 'status' | 'headers'>) => void;
  /** Called with each piece of the body, before it is kept. It may throw `EgressFailed` to stop. */
  readonly onChunk?: (bytes: number, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
};

/** Header names are in lower case; repeated headers are joined by commas. */
export type EgressAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};
