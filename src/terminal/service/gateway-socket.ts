import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Address } from './gateway-calls.ts';
import type { ServerMessage } from './gateway-messages.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost';

export type GatewaySocket = {
  /** Goes out now; dropped while the line is down, for whoever reconnects says anew what it wants. */
  send(message: object): void;
  close(): void;
};

type Options = {
  /** Asked before every try, since a service may come back elsewhere. */
  readonly locate: () => Promise<Address | undefined>;
  readonly onState: (state: ConnectionState, address: Address | undefined) => void;
  readonly onMessage: (message: ServerMessage) => void;
};

const RETRY_MS = 300;
const PING_MS = 10_000;

/** A line to the gateway that comes back by itself, until it is closed. */
export function openSocket({ locate, onState, onMessage }: Options): GatewaySocket {
  const closing = new AbortController();
  let socket: WebSocket | undefined;

  async function stayConnected(): Promise<void> {
    onState('connecting', undefined);
    while (!closing.signal.aborted) {
      const address = await locate().catch(() => undefined);
      if (address) await connectOnce(address);
      if (closing.signal.aborted) return;
      await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  /** Until the line is gone. */
  function connectOnce(address: Address): Promise<void> {
    return new Promise((resolve) => {
      const opened = new WebSocket(`${address.url.replace(/^http/, 'ws')}/api/ws`, {
        headers: { authorization: `Bearer ${address.token}` },
        handshakeTimeout: 5000,
      });
      socket = opened;
      const stopPinging = keepAlive(opened);
      opened.on('open', () => onState('live', address));
      opened.on('message', (data: Buffer) => onMessage(JSON.parse(data.toString()) as ServerMessage));
      opened.on('error', () => {}); // `close` follows
      opened.on('close', () => {
        stopPinging();
        if (!closing.signal.aborted) onState('lost', undefined);
        resolve();
      });
    });
  }

  void stayConnected();
  return {
    send(message) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close() {
      closing.abort();
      socket?.terminate();
    },
  };
}

/** A line over which nothing came back for two pings is dead, whatever TCP believes. */
function keepAlive(socket: WebSocket): () => void {
  let answered = true;
  const timer = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
  }, PING_MS);
  for (const sign of ['open', 'pong', 'message']) socket.on(sign, () => (answered = true));
  return () => clearInterval(timer);
}
