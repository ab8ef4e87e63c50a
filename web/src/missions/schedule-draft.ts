import { t } from '@lingui/core/macro';
import type { MissionSchedule } from '@reborn-agent/client/api';
import { HERE } from './mission-words.ts';

/** A schedule as the form edits it. Fields of the kinds that are not chosen keep their values. */
export type ScheduleDraft = {
  readonly kind: 'days' | 'interval' | 'once' | 'cron' | 'event';
  readonly time: string;
  readonly days: string;
  readonly minutes: string;
  readonly at: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly turnOf: string;
};

const NEW: ScheduleDraft = {
  kind: 'days',
  time: '08:00',
  days: '1-5',
  minutes: '60',
  at: '',
  cron: '0 8 * * 1-5',
  timeZone: HERE,
  turnOf: 'me',
};

/** The days of the week of a cron expression. */
export const dayChoices = (): readonly { readonly value: string; readonly words: string }[] => [
  { value: '*', words: t`Every day` },
  { value: '1-5', words: t`Monday to Friday` },
  { value: '0,6', words: t`Saturday and Sunday` },
  ...[t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`].map((words, index) => ({
    value: String(index + 1),
    words,
  })),
  { value: '0', words: t`Sunday` },
];

export function toSchedule(draft: ScheduleDraft): MissionSchedule {
  const zone = { time_zone: draft.timeZone.trim() };
  switch (draft.kind) {
    case 'days': {
      const [hour = '0', minute = '0'] = draft.time.split(':');
      return { cron: `${Number(minute)} ${Number(hour)} * * ${draft.days}`, ...zone };
    }
    case 'interval':
      return { every_minutes: Number(draft.minutes) };
    case 'once':
      return { at: draft.at, ...zone };
    case 'cron':
      return { cron: draft.cron, ...zone };
    case 'event':
      return { on_turn_of: draft.turnOf.trim() };
  }
}

export function toDraft(schedule: MissionSchedule | undefined): ScheduleDraft {
  if (!schedule) return NEW;
  const zoned = { ...NEW, timeZone: schedule.time_zone ?? HERE };
  if (schedule.every_minutes !== undefined)
    return { ...zoned, kind: 'interval', minutes: String(schedule.every_minutes) };
  if (schedule.on_turn_of !== undefined) return { ...zoned, kind: 'event', turnOf: schedule.on_turn_of };
  if (schedule.at !== undefined) return { ...zoned, kind: 'once', at: schedule.at };
  const cron = schedule.cron ?? '';
  const [, minute, hour, chosen] = /^(\d+) (\d+) \* \* (\S+)$/.exec(cron) ?? [];
  if (minute === undefined || hour === undefined || !dayChoices().some(({ value }) => value === chosen))
    return { ...zoned, kind: 'cron', cron };
  return { ...zoned, cron, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, days: chosen ?? '*' };
}
