import websocket, { type WebSocket } from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Verdict } from '#auth/authenticate.ts';
import { createConnection } from './socket-connection.ts';
import { createConversation, type SocketServices } from './socket-conversation.ts';
import { createSocketPace } from './socket-pace.ts';

export type SocketOptions = SocketServices & {
  readonly maxBytes: number;
  /** Holds every socket while it is open. */
  readonly sockets: Set<unknown>;
  /** Whom the credentials of the request stand for now. */
  readonly judge: (request: FastifyRequest) => Promise<Verdict>;
  /** Calls its listener when access was revoked, until the returned function is called. */
  readonly onRevoked: (listener: () => void) => () => void;
  readonly onError: (error: unknown) => void;
};

/** How often credentials are checked again, for changes without a notification such as an expired token. */
const JUDGE_AGAIN_MS = 2500;

/** Application codes of a WebSocket begin at 4000; this one means what a 401 does. */
const NO_LONGER_KNOWN = 4401;
const RESTARTING = 1012;
const PATIENCE_MS = 500;

/** `GET /api/ws`: the WebSocket of the browser app and other clients. */
export function socketRoute(options: SocketOptions) {
  const pace = createSocketPace();
  return async (app: FastifyInstance): Promise<void> => {
    await app.register(websocket, {
      options: { maxPayload: options.maxBytes },
      preClose: async () => hangUp([...app.websocketServer.clients]),
    });
    app.get('/ws', { websocket: true }, (socket, request) => {
      options.sockets.add(socket);
      const connection = createConnection(socket);
      const conversation = createConversation(request.principal, connection, options);
      const judgeAgain = () => {
        options.judge(request).then((verdict) => {
          if (verdict.outcome === 'unknown' || verdict.outcome === 'domain-not-allowed')
            socket.close(NO_LONGER_KNOWN, 'Invalid or missing auth token');
        }, options.onError);
      };
      const judging = setInterval(judgeAgain, JUDGE_AGAIN_MS);
      const stopListening = options.onRevoked(judgeAgain);
      connection.onText(async (text) => {
        await pace(request.principal.userId, text.length, connection.closed);
        await conversation.hear(text);
      });
      socket.once('close', () => {
        options.sockets.delete(socket);
        clearInterval(judging);
        stopListening();
        conversation.end();
      });
    });
  };
}

/** Closes with a reason. A client that does not close in time is disconnected. */
async function hangUp(clients: readonly WebSocket[]): Promise<void> {
  const gone = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
  for (const client of clients) client.close(RESTARTING, 'The service restarts. Connect again.');
  const impatience = setTimeout(() => {
    for (const client of clients) client.terminate();
  }, PATIENCE_MS);
  await Promise.all(gone);
  clearTimeout(impatience);
}
