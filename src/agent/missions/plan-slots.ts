import type { Mission } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import { nextSlot } from './due-times.ts';

/** What becomes of one due time. */
export type PlannedSlot = {
  readonly slot: Date;
  readonly state: 'due' | 'missed';
  readonly reason: string | null;
  readonly dueAt: Date;
  readonly isLate: boolean;
};

/** The due times up to now, and the first one after them; null when there is none. */
export type Plan = { readonly slots: readonly PlannedSlot[]; readonly next: Date | null };

/** A due time is late after this: no replica was there to see it. */
const LATE_MS = 60_000;
/** A run that is later than this is of no use any more. */
const GRACE_MS = 12 * 3_600_000;
/** With `all`, this many of the newest late runs are caught up. */
const MOST_CAUGHT_UP = 10;
/** How many due times one plan has. A later plan has the rest. */
const MOST_SLOTS = 500;
/** Older due times are not listed one by one. */
const MOST_AGE_MS = 7 * 24 * 3_600_000;
/** Late runs start within this time, each mission at its own moment, so that a start after an outage does not cause a stampede. */
const SPREAD_MS = 120_000;

/** Decides on every due time from `first`, which has passed, up to `now`. Both are times of the database's clock. */
export function planSlots(
  mission: Pick<Mission, 'id' | 'misfire'> & { readonly schedule: Schedule },
  first: Date,
  now: Date,
): Plan {
  const { slots, next } = listSlots(mission.schedule, first, now);
  const isLast = next === null || next > now;
  // The newest due times are decided on when all are known.
  const decided = isLast ? slots : slots.slice(0, -MOST_CAUGHT_UP);
  const late = decided.filter((slot) => isLate(slot, now));
  const caughtUp = new Set(isLast ? chooseLate(mission.misfire, decided, late, now) : []);
  return {
    slots: decided.map((slot) => {
      if (!isLate(slot, now)) return { slot, state: 'due', reason: null, dueAt: slot, isLate: false };
      if (!caughtUp.has(slot)) return { slot, state: 'missed', reason: 'not_running', dueAt: slot, isLate: true };
      return { slot, state: 'due', reason: null, dueAt: spread(mission.id, now), isLate: true };
    }),
    next: isLast ? next : (slots[decided.length] ?? null),
  };
}

function listSlots(schedule: Schedule, first: Date, now: Date): { slots: Date[]; next: Date | null } {
  const slots = [first];
  const isOld = now.getTime() - first.getTime() > MOST_AGE_MS;
  let next = nextSlot(schedule, isOld ? new Date(now.getTime() - MOST_AGE_MS) : first);
  for (; next && next <= now && slots.length < MOST_SLOTS; next = nextSlot(schedule, next)) slots.push(next);
  return { slots, next };
}

const isLate = (slot: Date, now: Date): boolean => now.getTime() - slot.getTime() > LATE_MS;

/** The late due times that still run. */
function chooseLate(
  misfire: Mission['misfire'],
  slots: readonly Date[],
  late: readonly Date[],
  now: Date,
): readonly Date[] {
  const useful = late.filter((slot) => now.getTime() - slot.getTime() <= GRACE_MS);
  if (misfire === 'all') return useful.slice(-MOST_CAUGHT_UP);
  if (misfire === 'skip' || late.length < slots.length) return []; // a run that is on time replaces the late ones
  return useful.slice(-1);
}

/** Stable for each mission. */
function spread(id: string, now: Date): Date {
  const fraction = Number.parseInt(id.slice(-8), 16) / 0x1_0000_0000;
  return new Date(now.getTime() + Math.floor((fraction * SPREAD_MS) / 1000) * 1000);
}
