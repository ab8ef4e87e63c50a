import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Verdict } from '#auth/authenticate.ts';
import { answerNotFound } from '../routes/errors.ts';
import { CONNECT_AGAIN, createConnection, type SocketConnection } from './socket-connection.ts';

export type SocketOptions = {
  readonly maxBytes: number;
  /** Holds every socket while it is open. */
  readonly sockets: Set<unknown>;
  /** Whom the credentials of the request stand for now. */
  readonly judge: (request: FastifyRequest) => Promise<Verdict>;
  /** Calls its listener when access was revoked, until the returned function is called. */
  readonly onRevoked: (listener: () => void) => () => void;
  readonly onError: (error: unknown) => void;
};

/**
 * One client's conversation. `ahead`: how many of its messages may be unfinished before no more are read. `isUrgent`: a message is
 * handled at once, although those before it are unfinished.
 */
export type SocketHandler = {
  receive(text: string): Promise<void>;
  end?(): void;
  readonly ahead?: number;
  readonly isUrgent?: (text: string) => boolean;
};

/** Serves a WebSocket at a path. The requests have passed the hooks of the server. */
export type ServeSocket = <Message extends object>(
  path: string,
  open: (connection: SocketConnection<Message>, request: FastifyRequest) => SocketHandler,
) => void;

/** How often credentials are checked again, for changes without a notification such as an expired token. */
const JUDGE_AGAIN_MS = 2500;

/** Application codes of a WebSocket begin at 4000; this one means what a 401 does. */
const NO_LONGER_KNOWN = 4401;
const PATIENCE_MS = 500;

/** Lets `app` serve WebSockets. A user who is removed loses theirs, and one with another role connects again with that. */
export async function acceptWebSockets(app: FastifyInstance, options: SocketOptions): Promise<ServeSocket> {
  await app.register(websocket, {
    options: { maxPayload: options.maxBytes },
    preClose: async () => hangUp([...app.websocketServer.clients]),
  });

  return (path, open) => {
    const wsHandler = (socket: WebSocket, request: FastifyRequest) => {
      options.sockets.add(socket);
      const connection: Parameters<typeof open>[0] = createConnection(socket);
      const handler = open(connection, request);
      const judgeAgain = () => {
        options.judge(request).then((verdict) => {
          if (verdict.outcome === 'unknown' || verdict.outcome === 'domain-not-allowed')
            socket.close(NO_LONGER_KNOWN, 'Invalid or missing auth token');
          else if (verdict.outcome === 'moving' || verdict.outcome === 'elsewhere')
            socket.close(CONNECT_AGAIN, 'This user moves to another cell. Connect again.');
          else if (verdict.outcome === 'known' && verdict.principal.role !== request.principal.role)
            socket.close(CONNECT_AGAIN, 'The role of this user has changed. Connect again.');
        }, options.onError);
      };
      const judging = setInterval(judgeAgain, JUDGE_AGAIN_MS);
      const stopListening = options.onRevoked(judgeAgain);
      connection.onText((text) => handler.receive(text), handler);
      socket.once('close', () => {
        options.sockets.delete(socket);
        clearInterval(judging);
        stopListening();
        handler.end?.();
      });
    };
    app.route({ method: 'GET', url: path, handler: answerNotFound, wsHandler });
  };
}

/** Closes with a reason. A client that does not close in time is disconnected. */
async function hangUp(clients: readonly WebSocket[]): Promise<void> {
  const gone = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
  for (const client of clients) client.close(CONNECT_AGAIN, 'The service restarts. Connect again.');
  const impatience = setTimeout(() => {
    for (const client of clients) client.terminate();
  }, PATIENCE_MS);
  await Promise.all(gone);
  clearTimeout(impatience);
}
