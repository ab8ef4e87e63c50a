import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '#domain/backoff.ts';

/** The SQLSTATE that the functions raise when peers have declared this replica dead. */
const DECLARED_DEAD = 'RB001';

export type RetryPolicy = {
  /** Whether an error is temporary: the database is unavailable, full, read-only, or the statement met a conflict. */
  readonly isAway: (error: unknown) => boolean;
  /** Registers this replica again. */
  readonly onDeclaredDead: () => Promise<void>;
};

/**
 * Retries after temporary errors, with growing pauses, until `signal` aborts or the time is up. Only for statements that
 * are safe to send twice.
 */
export async function withRetries<T>(
  { isAway, onDeclaredDead }: RetryPolicy,
  { signal, forMs = Infinity }: { readonly signal?: AbortSignal; readonly forMs?: number },
  act: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + forMs;
  const throwUnlessAway = (error: unknown) => {
    if (!isAway(error)) throw error;
  };
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > end) throw error;
      if (isDeclaredDead(error)) await onDeclaredDead().catch(throwUnlessAway);
      else throwUnlessAway(error);
      await sleep(backoff(tries, AWAY), undefined, { signal });
    }
  }
}

/** The same for a `busy` outcome: the lock is free again in a moment. When the time is up, this fails as a lock timeout does. */
export async function retryWhileBusy<T extends { readonly outcome: string }>(
  { signal, forMs = Infinity }: { readonly signal?: AbortSignal | undefined; readonly forMs?: number },
  act: () => Promise<T>,
): Promise<Exclude<T, { readonly outcome: 'busy' }>> {
  const end = performance.now() + forMs;
  for (let tries = 1; ; tries++) {
    const result = await act();
    if (result.outcome !== 'busy') return result as Exclude<T, { readonly outcome: 'busy' }>;
    if (performance.now() > end)
      throw Object.assign(new Error('A row of the thread stayed locked.'), { code: LOCK_NOT_AVAILABLE });
    await sleep(backoff(tries, BUSY), undefined, { signal });
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

const isDeclaredDead = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DECLARED_DEAD;

const AWAY = { first: 50, longest: 2000, jitter: 0.5 };
const BUSY = { first: 1, longest: 50 };
