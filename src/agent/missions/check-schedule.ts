import { InvalidRequest } from '#domain/errors.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { nextSlot, parsed } from './due-times.ts';
import { isTimeZone } from './local-time.ts';

/** A schedule as callers write it: exactly one of `cron`, `everyMinutes`, `at` and `onTurnOf`. */
export type AskedSchedule = {
  readonly cron?: string | undefined;
  readonly everyMinutes?: number | undefined;
  readonly at?: string | undefined;
  readonly timeZone?: string | undefined;
  /** `me`, or a webhook user. */
  readonly onTurnOf?: string | undefined;
};

const MAX_MINUTES = 366 * 24 * 60;

/** The schedule that was asked for. Throws `InvalidRequest` for one that is invalid or never due. */
export function checkSchedule(owner: Pick<Principal, 'userId'>, asked: AskedSchedule, now: Date): Schedule {
  const given = [asked.cron, asked.everyMinutes, asked.at, asked.onTurnOf].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw invalid(
      'schedule',
      'Give exactly one of cron, every_minutes, at and on_turn_of. For example: {"cron": "0 8 * * 1-5", "time_zone": "Europe/Oslo"}.',
    );
  if (asked.everyMinutes !== undefined) return checkInterval(asked.everyMinutes, asked.timeZone, now);
  if (asked.onTurnOf !== undefined) return checkEvent(owner, asked.onTurnOf, asked.timeZone);
  const timeZone = checkZone(asked.timeZone);
  return asked.cron === undefined ? checkOnce(asked.at ?? '', timeZone, now) : checkCron(asked.cron, timeZone, now);
}

function checkInterval(everyMinutes: number, timeZone: string | undefined, now: Date): Schedule {
  if (timeZone !== undefined)
    throw invalid('schedule.time_zone', 'every_minutes counts elapsed time and has no time zone. Leave time_zone out.');
  if (!Number.isInteger(everyMinutes) || everyMinutes < 1 || everyMinutes > MAX_MINUTES)
    throw invalid('schedule.every_minutes', `every_minutes must be a whole number from 1 to ${MAX_MINUTES}.`);
  const anchor = new Date(Math.floor(now.getTime() / 1000) * 1000).toISOString();
  return { kind: 'interval', everyMinutes, anchor };
}

/** The turns of webhook users belong to the operator. */
function checkEvent({ userId }: Pick<Principal, 'userId'>, of: string, timeZone: string | undefined): Schedule {
  if (timeZone !== undefined) throw invalid('schedule.time_zone', 'An event has no time zone. Leave time_zone out.');
  if (of === 'me') return { kind: 'event', userId, isOwn: true };
  if (!isWebhookUser(of) || of.length > 200 || userId !== OPERATOR.userId)
    throw invalid(
      'schedule.on_turn_of',
      'on_turn_of must be me, or for the operator a webhook user such as webhook:github.',
    );
  return { kind: 'event', userId: of, isOwn: false };
}

function checkZone(timeZone: string | undefined): string {
  if (timeZone === undefined)
    throw invalid('schedule.time_zone', 'time_zone is missing. Use an IANA name such as Europe/Oslo, or UTC.');
  if (timeZone.length > 64 || !isTimeZone(timeZone))
    throw invalid(
      'schedule.time_zone',
      'time_zone is not a known time zone. Use an IANA name such as Europe/Oslo, or UTC.',
    );
  return timeZone;
}

function checkCron(given: string, timeZone: string, now: Date): Schedule {
  const expression = given
    .trim()
    .replaceAll(/[ \t]+/g, ' ')
    .toUpperCase();
  const fields = expression.split(' ');
  if (given.length > 100 || fields.length !== 5 || fields.some((field) => !/^[\dA-Z*,/#-]+$/.test(field)))
    throw invalidCron('it needs five fields: minute, hour, day of month, month and day of week.');
  const schedule: Schedule = { kind: 'cron', expression, timeZone };
  try {
    parsed(expression, timeZone);
  } catch (error) {
    const detail = error instanceof Error ? wordsOf(error.message) : 'it can not be read';
    throw invalidCron(`${detail.replace(/\.$/, '')}.`);
  }
  if (!nextSlot(schedule, now)) throw invalidCron('no date matches it.');
  return schedule;
}

function checkOnce(at: string, timeZone: string, now: Date): Schedule {
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(at) && new Date(`${at}Z`).getTime() > 0;
  if (!isDate || new Date(`${at}Z`).toISOString().slice(0, 16) !== at)
    throw invalid('schedule.at', 'at must be a local date and time such as 2026-12-24T18:00, without an offset.');
  const schedule: Schedule = { kind: 'once', at, timeZone };
  if (!nextSlot(schedule, now))
    throw invalid('schedule.at', `${at} in ${timeZone} is in the past. Choose a later time.`);
  return schedule;
}

/** The parser's message, such as `CronPattern: Invalid value for minute: 99`. */
function wordsOf(message: string): string {
  const bare = message.replace(/^CronPattern: /, '');
  const [, field, value] = /^Invalid value for (\w+): (.+)$/.exec(bare) ?? [];
  return field === undefined ? bare : `the ${field} can't be ${value}.`;
}

const invalidCron = (detail: string) =>
  invalid('schedule.cron', `cron is not valid: ${detail} Example: "0 8 * * 1-5" is 08:00 from Monday to Friday.`);

const invalid = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);
