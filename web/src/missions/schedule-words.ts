import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { MissionSchedule } from '@reborn-agent/client/api';
import { formatLocales } from '../format/number.ts';
import { formatClock } from '../format/time.ts';

/** A schedule in the words, the clock and the names of days of the page. `words`: the English ones of the service. */
export function wordsOfSchedule(schedule: MissionSchedule, words: string): string {
  const { cron, time_zone: zone = '', every_minutes: minutes, at, on_turn_of: user } = schedule;
  if (minutes !== undefined) return wordsOfInterval(minutes);
  if (user !== undefined)
    return user === 'me' ? t`when a turn of yours has ended` : t`when a turn of ${user} has ended`;
  if (at !== undefined) {
    const moment = format(at, { dateStyle: 'medium', timeStyle: 'short' });
    return t`once, on ${moment} (${zone})`;
  }
  return wordsOfCron(cron ?? '', zone) ?? (isEnglish() ? words : t`by the cron expression ${cron ?? ''} (${zone})`);
}

/** Without a catalogue, all texts are English. */
const isEnglish = () => i18n.locale === 'en' || i18n.locale === '';

function wordsOfInterval(minutes: number): string {
  if (minutes === 1440) return t`every 24 hours`;
  if (minutes % 1440 === 0) return plural(minutes / 1440, { one: 'every day', other: 'every # days' });
  if (minutes % 60 === 0) return plural(minutes / 60, { one: 'every hour', other: 'every # hours' });
  return plural(minutes, { one: 'every minute', other: 'every # minutes' });
}

/** undefined: a rare one. */
function wordsOfCron(cron: string, zone: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().toUpperCase().split(/\s+/);
  if (month !== '*') return undefined;
  const times = timesOf(minute, hour);
  if (!times) return isOften(hour, day, weekday) ? wordsOfMinutes(minute, zone) : undefined;
  if (day === '*' && weekday === '*') return t`at ${times}, every day (${zone})`;
  if (day === 'L' && weekday === '*') return t`at ${times}, on the last day of the month (${zone})`;
  if (weekday === '*') {
    const days = numbersOf(day);
    return days && t`at ${times}, on day ${listOf(days.map(String))} of the month (${zone})`;
  }
  const days = day === '*' ? daysOf(weekday) : undefined;
  return days && t`at ${times}, ${days} (${zone})`;
}

const isOften = (...fields: readonly string[]) => fields.every((field) => field === '*');

function wordsOfMinutes(minute: string, zone: string): string | undefined {
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (step !== undefined) return t`every ${step} minutes (${zone})`;
  const minutes = numbersOf(minute);
  return minutes && t`every hour at minute ${listOf(minutes.map(padded))} (${zone})`;
}

const MOST_TIMES = 6;

function timesOf(minute: string, hour: string): string | undefined {
  const [minutes, hours] = [numbersOf(minute), numbersOf(hour)];
  if (!minutes || !hours || minutes.length * hours.length > MOST_TIMES) return undefined;
  const times = hours.flatMap((h) => minutes.map((m) => `${padded(h)}:${padded(m)}`));
  return listOf(times.map(formatClock));
}

/** `1-5` and `SAT,SUN`; undefined for rare ones, such as the last Friday of a month. */
function daysOf(field: string): string | undefined {
  const names = field.split(',').map((part) => {
    const [, first = '', last] = /^(\w+?)(?:-(\w+))?$/.exec(part) ?? [];
    const [from, to] = [nameOfDay(first), last === undefined ? undefined : nameOfDay(last)];
    if (from === undefined || (last !== undefined && to === undefined)) return undefined;
    return to === undefined ? from : t`${from} to ${to}`;
  });
  return names.every((name) => name !== undefined) ? listOf(names) : undefined;
}

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** 2 January 2000 was a Sunday. */
function nameOfDay(field: string): string | undefined {
  const number = /^[0-7]$/.test(field) ? Number(field) % 7 : DAYS.indexOf(field);
  return number < 0 ? undefined : format(`2000-01-0${2 + number}T12:00`, { weekday: 'long' });
}

/** A local time, as the clock of any zone shows it. */
const format = (local: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(formatLocales(), { ...options, timeZone: 'UTC' }).format(new Date(`${local}Z`));

const listOf = (parts: readonly string[]) => new Intl.ListFormat(formatLocales()).format(parts);

/** The numbers of a field that lists them; undefined for any other field. */
const numbersOf = (field: string): number[] | undefined =>
  /^\d+(,\d+)*$/.test(field) ? field.split(',').map(Number) : undefined;

const padded = (value: number): string => String(value).padStart(2, '0');
