import { WebSocket } from 'ws';
import { type ServerMessage, serverMessage } from '#channels/gateway/socket/socket-messages.ts';
import { TOKEN } from './service.ts';
import { waitFor } from './wait-for.ts';

export type TestSocket = Awaited<ReturnType<typeof openSocket>>;

/** A WebSocket of the gateway; `ca` is the certificate authority of a proxy. Every received message is checked against its schema. */
export async function openSocket(url: string, headers: Record<string, string> = {}, ca?: string) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/ws`, {
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ca,
  });
  const seen: ServerMessage[] = [];
  let closed: { code: number; reason: string } | undefined;
  socket.on('message', (data) => seen.push(serverMessage.parse(JSON.parse((data as Buffer).toString()))));
  socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});

  const until = <T>(what: string, look: () => T | undefined | false, deadline?: number): Promise<T> =>
    waitFor(what, async () => look(), deadline);
  return {
    socket,
    seen,
    send: (message: object) => socket.send(JSON.stringify(message)),
    until,
    closed: () => until('the socket to close', () => closed),
    /** The first message of a type, from index `from` on. */
    first: <K extends ServerMessage['type']>(type: K, from = 0) =>
      until(`a message ${type}`, () =>
        seen.slice(from).find((message): message is Extract<ServerMessage, { type: K }> => message.type === type),
      ),
    ended: (turnId: string) =>
      until(`turn ${turnId} to end`, () => eventsOf(seen, turnId).find(({ event }) => event.type === 'turn-ended')),
    close: () => socket.terminate(),
  };
}

export type TurnMessage = Extract<ServerMessage, { type: 'turn-event' }>;

export const eventsOf = (seen: readonly ServerMessage[], turnId?: string): TurnMessage[] =>
  seen.filter(
    (message): message is TurnMessage =>
      message.type === 'turn-event' && (turnId === undefined || message.turn_id === turnId),
  );

/** The text of all deltas. */
export const saidIn = (seen: readonly ServerMessage[], itemId?: string): string =>
  eventsOf(seen)
    .flatMap(({ event }) =>
      event.type === 'text-delta' && (itemId === undefined || event.item_id === itemId) ? event.delta : [],
    )
    .join('');
