import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';

const MAX_BYTES = 256;

/** The header, for the documentation of routes. */
export const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(MAX_BYTES)
    .optional()
    .describe('A repeated request with the same key and body gets the first answer.'),
});

/** The key and the digest of the body; undefined when the caller sent no key. */
export function idempotencyOf(request: FastifyRequest): { key: string; digest: string } | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || Buffer.byteLength(key) > MAX_BYTES)
    throw new InvalidRequest('invalid_request', null, `Idempotency-Key must be 1 to ${MAX_BYTES} bytes long.`);
  return { key, digest: request.bodyDigest };
}
