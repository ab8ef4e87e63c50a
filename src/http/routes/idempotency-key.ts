import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#domain/errors.ts';

const MAX_BYTES = 256;

/** What makes a request that is sent twice be the same one; undefined when the caller didn't ask for that. */
export function idempotencyOf(request: FastifyRequest): { key: string; digest: string } | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || Buffer.byteLength(key) > MAX_BYTES)
    throw new InvalidRequest('invalid_request', null, `Idempotency-Key must be 1 to ${MAX_BYTES} bytes long.`);
  return { key, digest: request.bodyDigest };
}
