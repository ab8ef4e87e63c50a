import type { WebSocket } from '@fastify/websocket';

/** The most bytes buffered for a reader. Above it, writers wait. */
const HIGH_WATER_BYTES = 256 * 1024;
const HEARTBEAT_MS = 15_000;

/** Closes a WebSocket whose client is to connect again, and to ask again for all that it shows. */
export const CONNECT_AGAIN = 1012;

export type SocketConnection<Message extends object> = {
  /** Resolves when there is room for more, so that a slow reader costs no memory. */
  send(message: Message): Promise<void>;
  /** Resolves to whether the message, and everything before it, was written before the client disconnected. */
  deliver(message: Message): Promise<boolean>;
  /** Handles one message at a time, in order, and urgent ones at once. No more are read while `ahead` messages are unfinished. */
  onText(
    receive: (text: string) => Promise<void>,
    how?: { readonly ahead?: number; readonly isUrgent?: (text: string) => boolean },
  ): void;
  close(code: number, reason: string): void;
  readonly closed: AbortSignal;
};

/** A WebSocket connection with backpressure. Pings detect clients that are gone. */
export function createConnection<Message extends object>(socket: WebSocket): SocketConnection<Message> {
  const closed = new AbortController();
  let isAlive = true;
  const heartbeat = setInterval(() => {
    if (socket.isPaused) return; // the client's pongs are not read either
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
    async deliver(message) {
      if (socket.readyState !== socket.OPEN) return false;
      return new Promise((resolve) => {
        closed.signal.addEventListener('abort', () => resolve(false), { once: true });
        socket.send(JSON.stringify(message), (error) => resolve(!error));
      });
    },
    onText(receive, { ahead = 1, isUrgent = () => false } = {}) {
      let last = Promise.resolve();
      let unfinished = 0;
      socket.on('message', (data, isBinary) => {
        isAlive = true;
        if (++unfinished >= ahead) socket.pause();
        const text = isBinary ? '' : toText(data);
        const handling = (isUrgent(text) ? receive(text) : last.then(() => receive(text))).finally(() => {
          isAlive = true;
          if (--unfinished < ahead && socket.isPaused) socket.resume();
        });
        if (!isUrgent(text)) last = handling;
      });
    },
    close: (code, reason) => socket.close(code, reason),
  };
}

function toText(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}
