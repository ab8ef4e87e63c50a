import { WebSocket } from 'ws';
import { TOKEN, type WireResponse } from './service.ts';
import { waitFor } from './wait-for.ts';

export type SocketEvent = {
  readonly type: string;
  readonly sequence_number?: number;
  readonly stream_id?: string;
  readonly status?: number;
  readonly response?: WireResponse & { readonly previous_response_id: string | null; readonly store: boolean };
  readonly error?: { readonly code: string; readonly message: string; readonly param: string | null };
};

const TERMINAL = new Set(['response.completed', 'response.failed', 'response.incomplete', 'error']);

/** A WebSocket of the Responses API. */
export async function openResponses(url: string, path = '/v1/responses', token = TOKEN) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const seen: SocketEvent[] = [];
  let closed: { code: number; reason: string } | undefined;
  socket.on('message', (data) => seen.push(JSON.parse((data as Buffer).toString()) as SocketEvent));
  socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});

  const send = (message: object) => socket.send(JSON.stringify({ type: 'response.create', model: 'm', ...message }));
  const ends = () => seen.filter(({ type }) => TERMINAL.has(type));
  const end = (count: number) => waitFor(`the end of response ${count}`, async () => ends()[count - 1]);
  return {
    socket,
    seen,
    send,
    ends,
    end,
    /** Sends a create and returns its terminal event. */
    ask: async (message: object): Promise<SocketEvent> => {
      const count = ends().length + 1;
      send(message);
      return end(count);
    },
    closed: () => waitFor('the socket to close', async () => closed),
    close: () => socket.terminate(),
  };
}

/** The response of a terminal event. */
export function responseOf({ type, response, error }: SocketEvent) {
  if (!response) throw new Error(`${type}: ${JSON.stringify(error)}`);
  return response;
}
