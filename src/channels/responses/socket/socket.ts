import type { FastifyRequest } from 'fastify';
import type { SocketConnection } from '#http/socket/socket-connection.ts';
import type { ServeSocket, SocketHandler } from '#http/socket/web-sockets.ts';
import { createMemory } from './remembered.ts';
import { createSession, type SessionServices } from './session.ts';
import type { SocketMessage } from './socket-messages.ts';
import { isSteer } from './steer-messages.ts';

/** The paths of the WebSocket of the Responses API. */
export const RESPONSES_SOCKETS = ['/api/v1/responses', '/v1/responses'];

export type SocketServices = Omit<SessionServices, 'memory'>;

const HOUR_MS = 3_600_000;
/** Clients connect again after this code. */
const GOING_AWAY = 1001;
/** A response may be running, and as many messages less one wait while no more are read. */
const AHEAD = 3;

/** The Responses API on WebSockets: each message is a create, and its events come back as messages. */
export function serveResponsesSockets(serve: ServeSocket, services: SocketServices): void {
  const memory = createMemory();
  for (const path of RESPONSES_SOCKETS)
    serve<SocketMessage>(path, (connection, request) => open(connection, request, { ...services, memory }));
}

function open(
  connection: SocketConnection<SocketMessage>,
  { principal, server }: FastifyRequest,
  services: SessionServices,
): SocketHandler {
  const signal = AbortSignal.any([connection.closed, server.closing]);
  const session = createSession(principal, connection, services, signal);
  const limit = setTimeout(() => {
    void connection.send(LIMIT_REACHED);
    connection.close(GOING_AWAY, LIMIT_REACHED.error.message);
  }, HOUR_MS);
  const leave = () => connection.close(GOING_AWAY, 'The service restarts. Connect again.');
  server.closing.addEventListener('abort', leave);
  return {
    ahead: AHEAD,
    isUrgent: isSteer,
    receive: (text) => session.receive(text),
    end() {
      session.end();
      clearTimeout(limit);
      server.closing.removeEventListener('abort', leave);
    },
  };
}

const LIMIT_REACHED = {
  type: 'error',
  status: 400,
  error: {
    type: 'invalid_request_error',
    code: 'websocket_connection_limit_reached',
    message: 'A WebSocket may stay open for 60 minutes. Connect again.',
    param: null,
  },
} as const satisfies SocketMessage;
