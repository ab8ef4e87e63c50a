import type { FastifyRequest } from 'fastify';
import { NotFound, RateLimited } from '#domain/errors.ts';

export type RateLimit = { readonly limit: number; readonly windowSeconds: number };

/** Counts a use of `key` if the limit allows one more. */
export type TakeUse = (key: string, limit: RateLimit) => Promise<{ isAllowed: boolean; retryInSeconds: number }>;

/** Counts a use of `key`, and throws `RateLimited` above the limit. */
export type Limiter = (key: string) => Promise<void>;

const MAX_REMEMBERED = 10_000;

/**
 * At most `limit` uses per key in any `windowSeconds`; each limit counts separately. A caller known to be over the limit is
 * refused without another query.
 */
export function createLimiter(takeUse: TakeUse, rate: RateLimit): Limiter {
  const { limit, windowSeconds } = rate;
  const blocked = new Map<string, number>(); // the end of each block, by this process's clock

  return async (key) => {
    const left = ((blocked.get(key) ?? 0) - performance.now()) / 1000;
    if (left > 0) throw tooMany(left);
    blocked.delete(key);

    const { isAllowed, retryInSeconds } = await takeUse(`${limit}/${windowSeconds}:${key}`, rate);
    if (isAllowed) return;
    if (blocked.size >= MAX_REMEMBERED) blocked.clear();
    blocked.set(key, performance.now() + retryInSeconds * 1000);
    throw tooMany(retryInSeconds);
  };

  function tooMany(seconds: number): RateLimited {
    const wait = Math.max(1, Math.ceil(seconds));
    return new RateLimited(seconds, `More than ${limit} requests in ${windowSeconds} s. Try again in ${wait} s.`);
  }
}

/**
 * Counts a check of the caller that fails, and never one that succeeds: all customers of a platform share its addresses, so a
 * stranger could use up the limit of others.
 */
export async function countFailures<T>(limiter: Limiter, key: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof NotFound) await limiter(key);
    throw error;
  }
}

/** A hook for every route that sends a message: they share one limit per user. */
export function limitSends(limiter: Limiter) {
  return async (request: FastifyRequest): Promise<void> => limiter(`chat:${request.principal.userId}`);
}
