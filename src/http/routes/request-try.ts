import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { RequestTry } from '#domain/thread/turn.ts';

/** Many client libraries number the tries of a request with it, from 0. */
export const TRY_HEADER = 'x-stainless-retry-count';

/** Identifies a request whose client repeats it by itself. An Idempotency-Key does so better, and then it decides alone. */
export function tryOf({ headers, routeOptions, bodyDigest }: FastifyRequest): { readonly tried?: RequestTry } {
  const count = headers[TRY_HEADER];
  if (count === undefined || headers['idempotency-key'] !== undefined) return {};
  const digest = createHash('sha256').update(`${routeOptions.url}\n${bodyDigest}`).digest('hex');
  return { tried: { digest, isRepeated: Number(count) >= 1 } };
}
