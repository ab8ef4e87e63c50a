import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate, Verdict } from '#auth/authenticate.ts';
import type { Principal } from '#domain/principal.ts';
import { sendText, UNAVAILABLE } from './plain-text.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set before any handler of a protected route. */
    principal: Principal;
  }
}

/** Protects every route of `app`: who is not let in gets a plain text, before the body is read. */
export function requireBearer(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('principal');
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const verdict = token === undefined ? NOBODY : await authenticate(token);
    if (verdict.outcome !== 'known') return refuse(reply, verdict);
    request.principal = verdict.principal;
  });
}

const NOBODY: Verdict = { outcome: 'unknown' };

const REFUSALS = {
  unknown: [401, 'Invalid or missing auth token'],
  'domain-not-allowed': [403, 'Email domain not allowed'],
  'database-away': [503, UNAVAILABLE],
  'provider-away': [503, 'Identity provider unavailable'],
} as const satisfies Record<Exclude<Verdict['outcome'], 'known'>, readonly [number, string]>;

export function refuse(reply: FastifyReply, { outcome }: Exclude<Verdict, { outcome: 'known' }>): FastifyReply {
  const [status, text] = REFUSALS[outcome];
  return sendText(reply, status, text);
}
