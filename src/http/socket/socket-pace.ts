import { setTimeout as sleep } from 'node:timers/promises';
import type { UserId } from '#domain/principal.ts';

export type Pace = { readonly burst: number; readonly perSecond: number };

/** Enough for an app that opens with dozens of subscriptions, and far below what would keep the process busy. */
const PACE: Pace = { burst: 300, perSecond: 10 };

export type Clock = { now(): number; wait(ms: number, signal: AbortSignal): Promise<void> };

const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}), // a closed socket waits no longer
};

/** A large message counts as many. */
const BYTES_PER_USE = 64 * 1024;
const MAX_REMEMBERED = 10_000;

export type TakePace = (userId: UserId, bytes: number, signal: AbortSignal) => Promise<void>;

/**
 * How fast the messages of each user are read, of all kinds and over all their sockets: `burst` at once and `perSecond`
 * after that. Resolves when the next one may be read. It waits and does not refuse, so a flood costs its sender time and
 * no one else anything: what was not read yet stays in the sender's own buffers.
 */
export function createSocketPace({ burst, perSecond }: Pace = PACE, clock: Clock = CLOCK): TakePace {
  const readyAt = new Map<UserId, number>(); // when everything that was read would have been at `perSecond`

  return async (userId, bytes, signal) => {
    const now = clock.now();
    const cost = ((1 + Math.floor(bytes / BYTES_PER_USE)) / perSecond) * 1000;
    const ready = Math.max(now, readyAt.get(userId) ?? 0) + cost;
    if (readyAt.size >= MAX_REMEMBERED) readyAt.clear();
    readyAt.set(userId, ready);
    const waitMs = ready - now - (burst / perSecond) * 1000;
    if (waitMs > 0) await clock.wait(waitMs, signal);
  };
}
