import { t } from '@lingui/core/macro';
import { formatLocales, formatNumber } from './number.ts';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Lists show many times, and a formatter is slow to make. */
const relative = new Map<string, Intl.RelativeTimeFormat>();
const exact = new Map<string, Intl.DateTimeFormat>();
const moments = new Map<string, Intl.DateTimeFormat>();
const times = new Map<string, Intl.DateTimeFormat>();
const days = new Map<string, Intl.DateTimeFormat>();
const daysOfOtherYears = new Map<string, Intl.DateTimeFormat>();

/** How long ago, in words: `3 min. ago`. */
export function formatAgo(time: string, now: number = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return t`just now`;
  const format = keep(relative, (locales) => new Intl.RelativeTimeFormat(locales, { numeric: 'auto', style: 'short' }));
  return format.format(Math.round(seconds / unit[1]), unit[0]);
}

export function formatExact(time: string): string {
  const format = keep(
    exact,
    (locales) => new Intl.DateTimeFormat(locales, { dateStyle: 'medium', timeStyle: 'medium' }),
  );
  return format.format(new Date(time));
}

/** A day and a time, without seconds: `Mar 1, 2026, 2:32 PM`. */
export function formatMoment(time: string): string {
  const styles = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return keep(moments, (locales) => new Intl.DateTimeFormat(locales, styles)).format(new Date(time));
}

/** The time of day: `2:32 PM`. */
export function formatTime(time: string): string {
  return keep(times, (locales) => new Intl.DateTimeFormat(locales, { timeStyle: 'short' })).format(new Date(time));
}

/** A time of day as a form has it, `14:32`, by the clock of the reader: `2:32 PM`. */
export const formatClock = (time: string): string =>
  new Intl.DateTimeFormat(formatLocales(), { timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(`2000-01-01T${time}Z`),
  );

/** The day in words: `Today`, `Sunday, March 1`, with the year if it is another one. */
export function formatDay(time: string, now: Date = new Date()): string {
  const day = new Date(time);
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12);
  if (isSameDay(day, noon)) return t`Today`;
  noon.setDate(noon.getDate() - 1);
  if (isSameDay(day, noon)) return t`Yesterday`;
  const format =
    day.getFullYear() === now.getFullYear()
      ? keep(days, (locales) => new Intl.DateTimeFormat(locales, LONG_DAY))
      : keep(daysOfOtherYears, (locales) => new Intl.DateTimeFormat(locales, { ...LONG_DAY, year: 'numeric' }));
  return format.format(day);
}

/** The day, also if it is today: `Tuesday, November 17`. */
export const formatDate = (day: Date): string =>
  keep(days, (locales) => new Intl.DateTimeFormat(locales, LONG_DAY)).format(day);

const LONG_DAY = { weekday: 'long', day: 'numeric', month: 'long' } as const;

/** Whether both are on one day where the reader is. */
export const isSameDay = (one: Date, other: Date) =>
  one.getDate() === other.getDate() && one.getMonth() === other.getMonth() && one.getFullYear() === other.getFullYear();

function keep<Format>(kept: Map<string, Format>, make: (locales: string[]) => Format): Format {
  const locales = formatLocales();
  const format = kept.get(locales.join()) ?? make(locales);
  kept.set(locales.join(), format);
  return format;
}

/** How long something took: `0.8 s`, `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 0.0995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${formatNumber(seconds, 1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
