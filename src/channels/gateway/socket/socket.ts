import type { ServeSocket } from '#http/socket/web-sockets.ts';
import { createConversation, type SocketServices } from './socket-conversation.ts';
import type { ServerMessage } from './socket-messages.ts';

/** `GET /api/ws`: the WebSocket of the browser app and other clients. */
export function serveGatewaySocket(serve: ServeSocket, services: SocketServices): void {
  serve<ServerMessage>('/api/ws', (connection, { principal }) => createConversation(principal, connection, services));
}
