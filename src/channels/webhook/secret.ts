import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidSecret } from '#domain/errors.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { admitConnection } from '#http/server/connections.ts';

/** Counted per address, before anything else is looked at: so guessing a secret is limited too. */
export function limitAddresses(app: FastifyInstance, limiter: Limiter): void {
  app.addHook('onRequest', async (request: FastifyRequest) => limiter(`webhook:${request.ip}`));
}

/** Protects every route of `app`: without the secret a request gets 401 before its body is read. */
export function requireSecret(app: FastifyInstance, secret: string): void {
  const hash = hashSecret(secret);
  app.addHook('onRequest', async (request: FastifyRequest) => {
    const given = request.headers['x-webhook-secret'];
    if (typeof given !== 'string' || !equalsSecret(given, hash))
      throw new InvalidSecret('The X-Webhook-Secret header is missing or wrong.');
    admitConnection(request);
  });
}
