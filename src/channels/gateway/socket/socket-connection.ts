import type { WebSocket } from '@fastify/websocket';
import type { ServerMessage } from './socket-messages.ts';

/** What waits in this process for a reader; above it the writers wait too. */
const HIGH_WATER_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;

export type SocketConnection = {
  /** Resolves when there is room for more; a slow reader costs no memory, only the time of whoever writes to it. */
  send(message: ServerMessage): Promise<void>;
  /** One text at a time: the next is read when this one has been dealt with. */
  onText(hear: (text: string) => Promise<void>): void;
  readonly closed: AbortSignal;
};

/** A WebSocket as a line with an end: pings find out when nobody is there any more. */
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
