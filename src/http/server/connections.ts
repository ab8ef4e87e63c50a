import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Connections on which nobody has authenticated yet, the oldest first. */
type Strangers = Set<Socket>;

const strangersOf = new WeakMap<Socket, Strangers>();

/**
 * Holds at most `limit` connections on which nobody has authenticated. One more closes the oldest of them, so a flood of
 * idle connections costs bounded memory and never keeps a newcomer out.
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

/** The request's connection belongs to an authenticated caller from now on, and is no longer closed to make room. */
export function admitConnection({ raw: { socket } }: FastifyRequest): void {
  strangersOf.get(socket)?.delete(socket);
}

export function isStranger({ raw: { socket } }: FastifyRequest): boolean {
  return strangersOf.get(socket)?.has(socket) ?? true;
}

/** Closes what is still open `graceMs` after the server began to close: a client that never finishes must not hold it up. */
export function closeAfterGrace(app: FastifyInstance, graceMs: number): void {
  let impatience: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    impatience = setTimeout(() => app.server.closeAllConnections(), graceMs);
  });
  app.addHook('onClose', async () => clearTimeout(impatience));
}
