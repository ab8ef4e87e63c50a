import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from './parse-json.ts';
import { TRY_HEADER } from './request-try.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The SHA-256 of the raw body, when the request has an Idempotency-Key or is a numbered try. */
    bodyDigest: string;
  }
}

/** Lets the routes of `app` take JSON. Plain JSON.parse: a field may be named __proto__, because nothing is merged. */
export function takeJson(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    if (request.headers['idempotency-key'] !== undefined || request.headers[TRY_HEADER] !== undefined)
      request.bodyDigest = createHash('sha256').update(body).digest('hex');
    return body === '' ? undefined : parseJson(body, 'The body is not valid JSON.');
  });
}
