import type { QuietHours } from '#domain/notification/endpoint.ts';
import { toInstant, toLocal } from '../missions/local-time.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When the quiet hours end; undefined outside of them. */
export function findQuietEnd({ from, until, timeZone }: QuietHours, now: Date): Date | undefined {
  const local = toLocal(now.getTime(), timeZone);
  const midnight = Math.floor(local / DAY) * DAY;
  const [start, end] = [parseTime(from), parseTime(until)];
  const time = local - midnight;
  const isQuiet = start <= end ? time >= start && time < end : time >= start || time < end;
  if (!isQuiet) return undefined;
  const ends = midnight + end + (time >= end ? DAY : 0);
  return new Date(toInstant(ends, timeZone) ?? ends);
}

function parseTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE;
}
