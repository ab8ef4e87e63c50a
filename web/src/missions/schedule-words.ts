import { plural, t } from '@lingui/core/macro';
import type { Mission } from '@reborn-agent/client/api';
import { formatLocales } from '../format/number.ts';
import { formatIn } from './mission-words.ts';

type Schedule = Mission['schedule'];

/** When a mission runs, such as "At 08:00, Monday to Friday (Europe/Oslo)". */
export function describeSchedule({
  cron,
  every_minutes: minutes,
  at,
  time_zone: zone = 'UTC',
  on_turn_of: whose,
}: Schedule): string {
  if (cron !== undefined) return t`${describeCron(cron)} (${zone})`;
  if (minutes !== undefined) return describeInterval(minutes);
  if (at !== undefined) return t`Once, on ${describeLocal(at)} (${zone})`;
  return whose === undefined || whose === 'me'
    ? t`When a turn of yours has ended`
    : t`When a turn of ${whose} has ended`;
}

/** A date and time without a zone, which belongs to the one that is named beside it. */
const describeLocal = (at: string): string => formatIn(`${at}Z`, 'UTC');

function describeInterval(minutes: number): string {
  if (minutes % 1440 === 0) return plural(minutes / 1440, { one: 'Every 24 hours', other: 'Every # days' });
  if (minutes % 60 === 0) return plural(minutes / 60, { one: 'Every hour', other: 'Every # hours' });
  return plural(minutes, { one: 'Every minute', other: 'Every # minutes' });
}

/** The usual patterns have words; any other one is shown as it was written. */
export function describeCron(expression: string): string {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = expression.toUpperCase().split(' ');
  const parts = [describeTime(minute, hour), describeDays(day, weekday), describeMonths(month)];
  return parts.includes(undefined) ? `cron ${expression}` : parts.filter(Boolean).join(', ');
}

const MOST_TIMES = 6;

function describeTime(minute: string, hour: string): string | undefined {
  const [minutes, hours] = [numbersOf(minute), numbersOf(hour)];
  if (minutes && hours && minutes.length * hours.length <= MOST_TIMES)
    return t`At ${listOf(hours.flatMap((h) => minutes.map((m) => `${padded(h)}:${padded(m)}`)))}`;
  const every = minute === '*' ? 1 : stepOf(minute);
  const often = every && plural(every, { one: 'Every minute', other: 'Every # minutes' });
  if (hour === '*') {
    if (often) return often;
    return minutes && t`Every hour at minute ${listOf(minutes.map(padded))}`;
  }
  if (often)
    return hours
      ? t`${often} in the hours ${listOf(hours.map(padded))}`
      : rangeOf(hour) && t`${often} from ${rangeOf(hour)}`;
  const step = stepOf(hour);
  return (
    step &&
    minutes &&
    plural(step, {
      one: `Every hour at minute ${listOf(minutes.map(padded))}`,
      other: `Every # hours at minute ${listOf(minutes.map(padded))}`,
    })
  );
}

/** Cron runs on a date that matches either field when both are limited. */
function describeDays(day: string, weekday: string): string | undefined {
  if (day === '*' && weekday === '*') return t`every day`;
  const days = day === '*' ? '' : describeDaysOfMonth(day);
  const weekdays = weekday === '*' ? '' : describeWeekdays(weekday);
  if (days === undefined || weekdays === undefined) return undefined;
  return days && weekdays ? t`${days} or on ${weekdays}` : days || weekdays;
}

function describeDaysOfMonth(day: string): string | undefined {
  if (day === 'L') return t`on the last day of the month`;
  const days = numbersOf(day);
  return days && t`on day ${listOf(days.map(String))} of the month`;
}

function describeWeekdays(weekday: string): string | undefined {
  const names = weekday.split(',').map((part) => {
    const [first = '', last] = part.split('-');
    const [from, to] = [nameOfDay(first), last === undefined ? undefined : nameOfDay(last)];
    if (from && last === undefined) return from;
    return from && to && t`${from} to ${to}`;
  });
  return names.every((name) => name !== undefined) ? listOf(names.map((name) => name ?? '')) : undefined;
}

function describeMonths(month: string): string | undefined {
  if (month === '*') return '';
  const names = month.split(',').map((part) => {
    const [from, to] = part.split('-').map(nameOfMonth);
    return part.includes('-') ? from && to && t`${from} to ${to}` : from;
  });
  return names.every((name) => name !== undefined) ? t`in ${listOf(names.map((name) => name ?? ''))}` : undefined;
}

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

function nameOfDay(text: string): string | undefined {
  const index = /^[0-7]$/.test(text) ? Number(text) % 7 : DAYS.indexOf(text);
  // The first of November 2026 is a Sunday.
  return index < 0 ? undefined : nameIn({ weekday: 'long' }, Date.UTC(2026, 10, 1 + index));
}

function nameOfMonth(text: string): string | undefined {
  const index = /^(?:[1-9]|1[0-2])$/.test(text) ? Number(text) - 1 : MONTHS.indexOf(text);
  return index < 0 ? undefined : nameIn({ month: 'long' }, Date.UTC(2026, index, 1));
}

const nameIn = (part: Intl.DateTimeFormatOptions, time: number): string =>
  new Intl.DateTimeFormat(formatLocales(), { ...part, timeZone: 'UTC' }).format(time);

/** The numbers of a field that lists them; undefined for any other field. */
const numbersOf = (field: string): number[] | undefined =>
  /^\d+(,\d+)*$/.test(field) ? field.split(',').map(Number) : undefined;

const stepOf = (field: string): number | undefined => (/^\*\/\d+$/.test(field) ? Number(field.slice(2)) : undefined);

function rangeOf(field: string): string | undefined {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(field) ?? [];
  return from && to && t`${padded(Number(from))}:00 to ${padded(Number(to))}:59`;
}

const padded = (value: number): string => String(value).padStart(2, '0');

const listOf = (parts: readonly string[]): string => new Intl.ListFormat(formatLocales()).format(parts);
