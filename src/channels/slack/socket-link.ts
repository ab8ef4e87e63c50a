import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { ChatFailed } from '#agent/chats/chat-port.ts';
import { jsonOf } from '#domain/text/json.ts';

/** Opens a connection to a host on the public internet. */
export type Connect = (request: {
  readonly url: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}) => Promise<Duplex>;

/** What Slack sends until its envelope is acknowledged. */
export type Envelope = { readonly id: string; readonly payload: unknown; readonly acknowledge: () => void };

export type Link = { readonly closed: Promise<void>; close(): void };

export type LinkPace = {
  /** How often the connection is tried out. If nothing came back by the next time, it is half-open. */
  readonly pingEveryMs: number;
  /** How long a connection and its greeting may take. */
  readonly openMs: number;
};

const MAX_BYTES = 1024 * 1024;

const frame = z.object({
  type: z.string(),
  envelope_id: z.string().max(200).optional(),
  payload: z.unknown().optional(),
  reason: z.string().max(100).optional(),
});

/** One WebSocket of Slack's Socket Mode. Resolves when Slack has greeted. `onLeave`: Slack is about to close it. */
export async function openLink(options: {
  readonly url: string;
  readonly connect: Connect;
  readonly pace: LinkPace;
  readonly signal: AbortSignal;
  readonly onEnvelope: (envelope: Envelope) => void;
  readonly onLeave: (reason: string) => void;
}): Promise<Link> {
  const { url, connect, pace, signal } = options;
  const target = URL.parse(url);
  // The address comes from an answer of Slack; it can lead to Slack alone.
  if (target?.protocol !== 'wss:' || !target.hostname.endsWith('.slack.com'))
    throw failed('Slack has given an address that is not its own.');
  const reached = await connect({ url: url.replace(/^wss:/, 'https:'), timeoutMs: pace.openMs, signal });
  const socket = new WebSocket(url, {
    createConnection: () => reached,
    handshakeTimeout: pace.openMs,
    maxPayload: MAX_BYTES,
    perMessageDeflate: false,
  });
  const greeted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let isAlive = true;
  let problem = 'Slack has closed the socket.';
  const onSign = () => (isAlive = true);
  const pinging = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, pace.pingEveryMs);

  socket.on('error', (error) => (problem = error.message)); // `close` follows
  socket.on('close', () => {
    clearInterval(pinging);
    signal.removeEventListener('abort', close);
    greeted.reject(failed(problem));
    closed.resolve();
  });
  socket.on('ping', onSign);
  socket.on('pong', onSign);
  socket.on('message', (data) => {
    onSign();
    const given = Buffer.isBuffer(data) ? frame.safeParse(jsonOf(data.toString('utf8'))).data : undefined;
    if (given?.type === 'hello') greeted.resolve();
    else if (given?.type === 'disconnect') options.onLeave(given.reason ?? '');
    else if (given?.envelope_id !== undefined) {
      const id = given.envelope_id;
      const acknowledge = () => {
        if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: id }), ignore);
      };
      options.onEnvelope({ id, payload: given.payload, acknowledge });
    }
  });
  const close = () => socket.terminate();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  const late = setTimeout(close, pace.openMs);
  await greeted.promise.finally(() => clearTimeout(late));
  return { closed: closed.promise, close };
}

/** Slack repeats what was not acknowledged. */
const ignore = () => {};

export const failed = (error: string) => new ChatFailed({ outcome: 'failed', error });
