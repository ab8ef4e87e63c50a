import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when this server starts to close. */
    closing: AbortSignal;
  }
}

/** Signals long answers that the server is closing: it waits only for short ones. */
export function announceClosing(app: FastifyInstance): void {
  const controller = new AbortController();
  app.decorate('closing', controller.signal);
  app.addHook('preClose', async () => controller.abort());
}

/** One for all: `abort()` would make an error with a stack for each answer. */
const GONE = new DOMException('The connection is closed.', 'AbortError');

/** Aborts when the client has disconnected or the server closes. */
export function whileConnected(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(GONE));
  return AbortSignal.any([gone.signal, request.server.closing]);
}

/** Closes the connection without a proper end, so that the client knows that the answer is incomplete and continues elsewhere. */
export function hangUp(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
