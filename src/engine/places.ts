import type { UserId } from '#domain/principal.ts';

/** No user holds more than this share of a replica's places, so that the long turns of one never keep out all others. */
const LARGEST_SHARE = 0.9;

/** How many places a user may hold, and how many each user holds. */
export type Shares = { readonly most: number; readonly held: ReadonlyMap<UserId, number> };

export type Places = ReturnType<typeof createPlaces>;

/** The places for turns on this replica: taken by running turns, or reserved for turns that are about to start. */
export function createPlaces(capacity: number, running: { count: () => number; users: () => Iterable<UserId> }) {
  const most = Math.max(1, Math.floor(capacity * LARGEST_SHARE));
  const starting = new Set<readonly UserId[]>();
  let claiming = 0; // the places for turns whose users are not known yet
  let reserved = 0; // all that are set aside

  const room = () => Math.max(0, capacity - running.count() - reserved);

  function countHeld(): Map<UserId, number> {
    const held = new Map<UserId, number>();
    for (const users of [running.users(), ...starting])
      for (const user of users) held.set(user, (held.get(user) ?? 0) + 1);
    return held;
  }

  async function reserve<T>(slots: number, act: (slots: number) => Promise<T>): Promise<T> {
    reserved += slots;
    try {
      return await act(slots);
    } finally {
      reserved -= slots;
    }
  }

  return {
    room,
    shares: (): Shares => ({ most, held: countHeld() }),
    /** For each of these users, in order, whether one more turn of theirs would exceed their share. */
    findExceeding(users: readonly UserId[]): boolean[] {
      if (running.count() + reserved + users.length <= most) return users.map(() => false);
      const held = countHeld();
      return users.map((user) => {
        const count = (held.get(user) ?? 0) + 1;
        held.set(user, count);
        return count + claiming > most;
      });
    },
    /** Sets aside places for turns of these users while `act` runs, as far as there is room. */
    async start<T>(users: readonly UserId[], act: (slots: number) => Promise<T>): Promise<T> {
      const holders = users.slice(0, room());
      starting.add(holders);
      return reserve(holders.length, act).finally(() => starting.delete(holders));
    },
    /** Sets aside up to `count` places for turns of any user while `act` runs. */
    async claim<T>(count: number, act: (slots: number) => Promise<T>): Promise<T> {
      const slots = Math.min(room(), count);
      claiming += slots;
      return reserve(slots, act).finally(() => {
        claiming -= slots;
      });
    },
  };
}
