import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { createBoundedBody } from './bounded-body.ts';
import type { EgressAnswer, EgressRequest } from './egress.ts';
import { codeOf } from './egress-failure.ts';

/** One request and its answer over a connection, which is closed afterwards in any case. */
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
    // undici takes a cut connection for the end of a body that has no declared length.
    if (codeOf(socket.errored) === 'ECONNRESET') throw new ConnectionLost();
    return answer;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.destroy();
  }
}

/** The deadline is ours, so the client has none. The parser is named because the environment could choose another. */
const CLIENT = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 32 * 1024, useMilo: false } as const;

/** undici dials again when a connection is lost. There is only this one, and no other address it might find. */
function offer(socket: Socket): NonNullable<Client.Options['connect']> {
  // Later, because the client is not ready for an answer inside its question.
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
  { method, maxResponseBytes }: EgressRequest,
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
    },
    onResponseData: (_controller, chunk) => body.add(chunk),
    onResponseEnd: () => (head ? resolve({ ...head, body: body.whole() }) : reject(new ConnectionLost())),
    onResponseError: (_controller, error) => reject(error),
  };
}

function toRecord(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
