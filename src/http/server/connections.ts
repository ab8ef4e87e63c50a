import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Connections without an authenticated request so far, oldest first. */
type Connections = Set<Socket>;

const unauthenticatedOf = new WeakMap<Socket, Connections>();

/**
 * Allows at most `limit` unauthenticated connections. One more closes the oldest of them, so a flood of idle connections
 * uses bounded memory and never blocks new ones.
 */
export function limitUnauthenticated(app: FastifyInstance, limit: number): void {
  const unauthenticated: Connections = new Set();
  app.server.on('connection', (socket) => {
    unauthenticated.add(socket);
    unauthenticatedOf.set(socket, unauthenticated);
    socket.once('close', () => unauthenticated.delete(socket));
    const [oldest] = unauthenticated;
    if (unauthenticated.size > limit) oldest?.destroy();
  });
}

/** Marks the request's connection as authenticated, so that it is no longer closed to make room. */
export function admitConnection({ raw: { socket } }: FastifyRequest): void {
  unauthenticatedOf.get(socket)?.delete(socket);
}

export function isUnauthenticated({ raw: { socket } }: FastifyRequest): boolean {
  return unauthenticatedOf.get(socket)?.has(socket) ?? true;
}

/** Closes all remaining connections `graceMs` after the server started to close, so that a stuck client can't delay it. */
export function closeAfterGrace(app: FastifyInstance, graceMs: number): void {
  let impatience: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    impatience = setTimeout(() => app.server.closeAllConnections(), graceMs);
  });
  app.addHook('onClose', async () => clearTimeout(impatience));
}
