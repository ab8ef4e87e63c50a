import { type Client, createClient } from '@reborn-agent/client';
import { openSocket, type Socket } from '@reborn-agent/client/socket';
import { WebSocket } from 'ws';

export type Address = {
  readonly url: string;
  readonly token: string;
  /** Whether a browser can reach the service. */
  readonly hasGateway: boolean;
};

export type Locate = () => Promise<Address | undefined>;

export type Service = { readonly client: Client; readonly socket: Socket; close(): void };

const LONGEST_PAUSE_MS = 500;
const HANDSHAKE_MS = 5000;

/** Connects to a service, in this process or not, by HTTP and WebSocket. */
export function connectService(locate: Locate): Service {
  const closing = new AbortController(); // a service in this process would wait for open calls when it stops
  const client = createClient(locate, { signal: closing.signal, messages: MESSAGES });
  const socket = openSocket(locate, { connect, longestPauseMs: LONGEST_PAUSE_MS });
  return {
    client,
    socket,
    close() {
      closing.abort();
      socket.close();
    },
  };
}

const MESSAGES = {
  401: 'The service refused the token. Set SERVICE_REBORN_WEBUI_TOKEN to the token it was started with, or REBORN_TOKEN to yours.',
  503: 'The database of the service is unavailable. Try again in a moment.',
};

/** `ws` can end a connection at once, so a command does not wait for a service that hangs. */
const connect = (url: string, { token = '' }: { readonly token?: string }) =>
  new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, handshakeTimeout: HANDSHAKE_MS });
