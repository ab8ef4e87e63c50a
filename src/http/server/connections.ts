import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Connections without an authenticated request so far, oldest first. */
type Strangers = Set<Socket>;

const strangersOf = new WeakMap<Socket, Strangers>();

/**
 * Allows at most `limit` unauthenticated connections. One more closes the oldest of them, so a flood of idle connections
 * uses bounded memory and never blocks new ones.
 */
export function boundStrangers(app: FastifyInstance, limit: number): void {
  const strangers: Strangers = new Set();
  app.server.on('connection', (socket) => {
    strangers.add(socket);
    strangersOf.set(socket, strangers);
    socket.once('close', () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > limit) oldest?.destroy();
  });
}

/** Marks the request's connection as authenticated, so that it is no longer closed to make room. */
export function admitConnection({ raw: { socket } }: FastifyRequest): void {
  strangersOf.get(socket)?.delete(socket);
}

export function isStranger({ raw: { socket } }: FastifyRequest): boolean {
  return strangersOf.get(socket)?.has(socket) ?? true;
}

/** Closes all remaining connections `graceMs` after the server started to close, so that a stuck client can't delay it. */
export function closeAfterGrace(app: FastifyInstance, graceMs: number): void {
  let impatience: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    impatience = setTimeout(() => app.server.closeAllConnections(), graceMs);
  });
  app.addHook('onClose', async () => clearTimeout(impatience));
}
