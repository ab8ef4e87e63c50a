import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '#auth/authenticate.ts';
import type { Principal } from '#domain/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before any handler of a protected route. */
    principal: Principal;
  }
}

/** Protects every route of `app`: without a good token there is a plain-text 401, before the body is read. */
export function requireBearer(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const principal = token === undefined ? undefined : await authenticate(token);
    if (!principal) return reply.code(401).type('text/plain; charset=utf-8').send('Invalid or missing auth token');
    request.principal = principal;
  });
}
