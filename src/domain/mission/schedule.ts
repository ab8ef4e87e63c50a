import type { UserId } from '../principal.ts';

/** When a mission is due. It is stored as JSON, so its times are strings. */
export type Schedule = CronSchedule | IntervalSchedule | OnceSchedule | EventSchedule;

/** Five fields: minute, hour, day of month, month and day of week, read in an IANA time zone. */
export type CronSchedule = { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string };

/** At `anchor` plus any multiple of the interval, independent of when runs end. */
export type IntervalSchedule = { readonly kind: 'interval'; readonly everyMinutes: number; readonly anchor: string };

/** `at` is a local date and time, such as 2026-12-24T18:00. */
export type OnceSchedule = { readonly kind: 'once'; readonly at: string; readonly timeZone: string };

/** When a turn of the user has ended; `userId` is the owner, or a webhook user. */
export type EventSchedule = { readonly kind: 'event'; readonly userId: UserId; readonly isOwn: boolean };

/** The schedule in words, such as "at 08:00, Monday to Friday (Europe/Oslo)". */
export function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `${describeCron(schedule.expression)} (${schedule.timeZone})`;
    case 'interval':
      return describeInterval(schedule.everyMinutes);
    case 'once':
      return `once, on ${schedule.at.replace('T', ' at ')} (${schedule.timeZone})`;
    case 'event':
      return schedule.isOwn ? 'when a turn of yours has ended' : `when a turn of ${schedule.userId} has ended`;
  }
}

function describeInterval(minutes: number): string {
  if (minutes % 1440 === 0) return `every ${minutes === 1440 ? '24 hours' : `${minutes / 1440} days`}`;
  if (minutes % 60 === 0) return `every ${minutes === 60 ? 'hour' : `${minutes / 60} hours`}`;
  return `every ${minutes === 1 ? 'minute' : `${minutes} minutes`}`;
}

function describeCron(expression: string): string {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = expression.toUpperCase().split(' ');
  return [describeTime(minute, hour), describeDays(day, weekday), describeMonth(month)].filter(Boolean).join(', ');
}

function describeTime(minute: string, hour: string): string {
  const [minutes, hours] = [numbersOf(minute), numbersOf(hour)];
  if (minutes && hours && minutes.length * hours.length <= MOST_TIMES)
    return `at ${listOf(hours.flatMap((h) => minutes.map((m) => `${padded(h)}:${padded(m)}`)))}`;

  const during = hour === '*' ? '' : `, in ${describeHours(hour)}`;
  if (minute === '*') return `every minute${during}`;
  if (minute.startsWith('*/')) return `every ${minute.slice(2)} minutes${during}`;
  const past = minutes ? `at minute ${listOf(minutes.map(padded))}` : `at minutes ${minute}`;
  return hour === '*' ? `every hour ${past}` : `${past} of ${describeHours(hour)}`;
}

const MOST_TIMES = 6;

function describeHours(hour: string): string {
  if (hour.startsWith('*/')) return `every ${ordinal(Number(hour.slice(2)))} hour`;
  const hours = numbersOf(hour);
  return hours ? `the hours ${listOf(hours.map(padded))}` : `the hours ${hour}`;
}

/** Cron runs on a date that matches either field when both are limited. */
function describeDays(day: string, weekday: string): string {
  if (day === '*' && weekday === '*') return 'every day';
  const days = day === '*' ? '' : describeDayOfMonth(day);
  const weekdays = weekday === '*' ? '' : describeWeekdays(weekday);
  return [days, weekdays].filter(Boolean).join(' or ');
}

function describeDayOfMonth(day: string): string {
  if (day === 'L') return 'on the last day of the month';
  if (day.startsWith('*/')) return `on every ${ordinal(Number(day.slice(2)))} day of the month`;
  return `on day ${listOf(day.split(','))} of the month`;
}

function describeWeekdays(weekday: string): string {
  const names = weekday.split(',').map((part) => {
    const [, first = '', last] = /^(\w+?)(?:-(\w+))?$/.exec(part) ?? [];
    const [from, to] = [nameOfDay(first), last === undefined ? undefined : nameOfDay(last)];
    if (from && last === undefined) return from;
    return from && to ? `${from} to ${to}` : describeRareWeekday(part);
  });
  return listOf(names);
}

/** `5L`: the last Friday; `5#2`: the second one. */
function describeRareWeekday(part: string): string {
  const [, lastOf] = /^(\w+)L$/.exec(part) ?? [];
  const [, nthOf = '', nth] = /^(\w+)#(\d)$/.exec(part) ?? [];
  if (lastOf && nameOfDay(lastOf)) return `the last ${nameOfDay(lastOf)} of the month`;
  if (nth && nameOfDay(nthOf)) return `the ${ordinal(Number(nth))} ${nameOfDay(nthOf)} of the month`;
  return `weekdays ${part}`;
}

function describeMonth(month: string): string {
  if (month === '*') return '';
  const names = month.split(',').map((part) => part.split('-').map((name) => MONTHS[monthOf(name)] ?? name));
  return `in ${listOf(names.map((ends) => ends.join(' to ')))}`;
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const nameOfDay = (text: string): string | undefined =>
  /^[0-7]$/.test(text) ? DAYS[Number(text)] : DAYS.find((name) => name.slice(0, 3).toUpperCase() === text);

const monthOf = (text: string): number =>
  /^\d+$/.test(text) ? Number(text) - 1 : MONTHS.findIndex((name) => name.slice(0, 3).toUpperCase() === text);

/** The numbers of a field that lists them; undefined for any other field. */
const numbersOf = (field: string): number[] | undefined =>
  /^\d+(,\d+)*$/.test(field) ? field.split(',').map(Number) : undefined;

const padded = (value: number): string => String(value).padStart(2, '0');

const ordinal = (value: number): string => `${value}${['th', 'st', 'nd', 'rd'][value > 3 ? 0 : value] ?? 'th'}`;

function listOf(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
