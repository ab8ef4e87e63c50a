import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborts when this server begins to close. */
    closing: AbortSignal;
  }
}

/** Lets long answers know that the server wants to close: it waits for the short ones only. */
export function announceClosing(app: FastifyInstance): void {
  const controller = new AbortController();
  app.decorate('closing', controller.signal);
  app.addHook('preClose', async () => controller.abort());
}

/** Aborts when the client has gone, or when the server closes. */
export function whileConnected(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, request.server.closing]);
}

/** Cuts the line without a proper end, so that the client knows that there is more to come elsewhere. */
export function hangUp(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
