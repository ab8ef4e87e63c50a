import type { WebSocket } from '@fastify/websocket';
import type { ServerMessage } from './socket-messages.ts';

/** The most bytes buffered for a reader. Above it, writers wait. */
const HIGH_WATER_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;

export type SocketConnection = {
  /** Resolves when there is room for more, so that a slow reader costs no memory. */
  send(message: ServerMessage): Promise<void>;
  /** Reads one message at a time: the next one when the handler has finished. */
  onText(hear: (text: string) => Promise<void>): void;
  readonly closed: AbortSignal;
};

/** A WebSocket connection with backpressure. Pings detect clients that are gone. */
export function createConnection(socket: WebSocket): SocketConnection {
  const closed = new AbortController();
  let isAlive = true;
  const heartbeat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, HEARTBEAT_MS);
  socket.on('pong', () => (isAlive = true));
  socket.once('close', () => {
    clearInterval(heartbeat);
    closed.abort();
  });
  socket.on('error', () => socket.terminate());

  return {
    closed: closed.signal,
    async send(message) {
      if (socket.readyState !== socket.OPEN) return;
      const sent = new Promise<void>((resolve) => socket.send(JSON.stringify(message), () => resolve()));
      if (socket.bufferedAmount > HIGH_WATER_BYTES) await sent;
    },
    onText(hear) {
      let last = Promise.resolve();
      let waiting = 0;
      socket.on('message', (data, isBinary) => {
        isAlive = true;
        waiting++;
        socket.pause();
        const text = isBinary ? '' : toText(data);
        last = last
          .then(() => hear(text))
          .finally(() => {
            if (--waiting === 0) socket.resume();
          });
      });
    },
  };
}

function toText(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
