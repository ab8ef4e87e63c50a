import { setTimeout as sleep } from 'node:timers/promises';

/** The error code by which the functions say that peers have declared this replica dead. */
const DECLARED_DEAD = 'RB001';

export type Patience = {
  /** Whether an error will pass: the database is away, full, read-only, or was asked at a bad moment. */
  readonly isAway: (error: unknown) => boolean;
  /** Makes this replica known again. */
  readonly onDeclaredDead: () => Promise<void>;
};

/**
 * Sends again what failed for a reason that passes, with growing pauses, until `signal` aborts or the time is up. Only for
 * statements that may be sent twice.
 */
export async function patiently<T>(
  { isAway, onDeclaredDead }: Patience,
  { signal, forMs = Infinity }: { readonly signal?: AbortSignal; readonly forMs?: number },
  act: () => Promise<T>,
): Promise<T> {
  const end = performance.now() + forMs;
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (performance.now() > end) throw error;
      if (isDeclaredDead(error)) await onDeclaredDead();
      else if (!isAway(error)) throw error;
      await sleep(pauseAfter(tries), undefined, { signal });
    }
  }
}

/** The same for an outcome: what is locked is free again in a moment. */
export async function untilFree<T extends { readonly outcome: string }>(
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<Exclude<T, { readonly outcome: 'busy' }>> {
  for (let tries = 0; ; tries++) {
    const result = await act();
    if (result.outcome !== 'busy') return result as Exclude<T, { readonly outcome: 'busy' }>;
    await sleep(Math.min(50, 2 ** tries), undefined, { signal });
  }
}

const isDeclaredDead = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DECLARED_DEAD;

const SHORTEST_MS = 50;
const LONGEST_MS = 2000;

/** Doubles from try to try; the random half keeps many from trying at the same moment. */
const pauseAfter = (tries: number): number =>
  Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.min(tries, 10)) * (0.5 + Math.random() / 2);
