import { Cron } from 'croner';
import type { CronSchedule, Schedule } from '#domain/mission/schedule.ts';
import { toInstant, toLocal } from './local-time.ts';

/** The first due time later than `after`, in whole seconds; null when there is none. */
export function nextSlot(schedule: Schedule, after: Date): Date | null {
  switch (schedule.kind) {
    case 'cron':
      return isElapsed(schedule) ? nextElapsed(schedule, after) : nextByClock(schedule, after);
    case 'event':
      return null;
    case 'interval':
      return nextMultiple(Date.parse(schedule.anchor), schedule.everyMinutes * 60_000, after.getTime());
    case 'once': {
      const at = toInstant(Date.parse(`${schedule.at}Z`), schedule.timeZone);
      return at !== undefined && at > after.getTime() ? new Date(at) : null;
    }
  }
}

/** Up to `count` due times later than `after`. */
export function nextSlots(schedule: Schedule, after: Date, count: number): Date[] {
  const slots: Date[] = [];
  for (let slot = nextSlot(schedule, after); slot && slots.length < count; slot = nextSlot(schedule, slot))
    slots.push(slot);
  return slots;
}

/**
 * "Every hour" means elapsed time: each real instant that matches, also in an hour that occurs twice. A schedule that names
 * hours means the clock on the wall: each local date and time once, because a daily report must come daily, and a second run
 * could pay twice.
 */
const isElapsed = ({ expression }: CronSchedule): boolean => /^\*(\/\d+)?$/.test(expression.split(' ')[1] ?? '');

function nextElapsed({ expression, timeZone }: CronSchedule, after: Date): Date | null {
  return parsed(expression, timeZone).nextRun(after);
}

/** Walks local times, which have no clock changes, and finds the instant of each. All times in a gap have the same instant. */
function nextByClock({ expression, timeZone }: CronSchedule, after: Date): Date | null {
  const cron = parsed(expression, 'UTC');
  for (let local = new Date(toLocal(after.getTime(), timeZone)); ; ) {
    const next = cron.nextRun(local);
    if (!next) return null;
    const instant = toInstant(next.getTime(), timeZone);
    if (instant !== undefined && instant > after.getTime()) return new Date(instant);
    local = next;
  }
}

function nextMultiple(anchor: number, every: number, after: number): Date {
  return new Date(anchor + every * Math.max(0, Math.floor((after - anchor) / every) + 1));
}

const MOST_PARSED = 2000;
const known = new Map<string, Cron>();

/** Throws for an invalid expression. Parsing costs more than finding the next time, so expressions are kept. */
export function parsed(expression: string, timeZone: string): Cron {
  const key = `${expression} ${timeZone}`;
  const found = known.get(key);
  if (found) return found;
  const cron = new Cron(expression, { timezone: timeZone, paused: true, mode: '5-part' });
  if (known.size >= MOST_PARSED) known.clear();
  known.set(key, cron);
  return cron;
}
