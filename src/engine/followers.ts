import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEnding } from '#domain/thread/turn-event.ts';
import type { Due } from './presence/heartbeat.ts';

export type Followers = ReturnType<typeof createFollowers>;

/** Notifies parts of this process of ended turns, of work that is due, and of removed users. */
export function createFollowers(duePauseMs: number) {
  const ends = new Set<(turn: Turn, ending: TurnEnding) => void>();
  const dues = new Set<(due: Due) => void>();
  const removals = new Set<() => void>();
  return {
    ended: (turn: Turn, ending: TurnEnding) => {
      for (const follow of ends) follow(turn, ending);
    },
    due: (due: Due) => callAll(dues, due),
    userRemoved: () => callAll(removals, undefined),

    followEnds: (follow: (turn: Turn, ending: TurnEnding) => void) => {
      ends.add(follow);
      return () => void ends.delete(follow);
    },
    followDue: (kind: keyof Due, follow: () => void): void => {
      let last = -Infinity;
      dues.add((due) => {
        if (!due[kind] || performance.now() - last < duePauseMs) return;
        last = performance.now();
        follow();
      });
    },
    followRemovals: (follow: () => void): void => void removals.add(follow),
  };
}

function callAll<T>(follows: Iterable<(value: T) => void>, value: T): void {
  for (const follow of follows) follow(value);
}
