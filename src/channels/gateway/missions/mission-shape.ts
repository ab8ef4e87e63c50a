import { z } from 'zod';
import type { AskedMission, ListedOccurrence, MissionListing } from '#agent/missions/missions.ts';
import type { Mission } from '#domain/mission/mission.ts';
import { describeSchedule, type Schedule } from '#domain/mission/schedule.ts';
import { readFields, renderAs } from '#http/routes/render-as.ts';
import { storedText } from '../stored-text.ts';
import { budgetFields, shownBudgets, toolsField } from '../work-fields.ts';

export const askedSchedule = z
  .strictObject(
    {
      cron: z.string().max(100).optional().describe('Five fields: minute, hour, day of month, month, day of week.'),
      every_minutes: z.number().optional(),
      at: z
        .string()
        .max(32, 'schedule.at is too long.')
        .optional()
        .describe('A local date and time, such as 2026-12-24T18:00, for a single run.'),
      time_zone: z
        .string()
        .max(64, 'schedule.time_zone is too long.')
        .optional()
        .describe('An IANA name, such as Europe/Oslo. Needed with cron and at.'),
      on_turn_of: z
        .string()
        .max(200, 'schedule.on_turn_of is too long.')
        .optional()
        .describe(
          'Due when a turn has ended: me for your turns, or for the operator a webhook user such as webhook:github.',
        ),
    },
    'schedule must be an object with cron, every_minutes, at or on_turn_of.',
  )
  .meta({ id: 'MissionSchedule' });

const settings = {
  name: storedText('name', 100),
  instruction: storedText('instruction', 20_000).describe('What the agent is asked at each run.'),
  schedule: askedSchedule,
};

const options = {
  thread: z.enum(['same', 'new']).optional().describe('Whether all runs share one thread. same when left out.'),
  tools: toolsField.describe('The only tools that runs may use; null for all that the owner may use.'),
  ...budgetFields,
  misfire: z
    .enum(['skip', 'latest', 'all'])
    .optional()
    .describe('Which due times are caught up after an outage. latest when left out.'),
  overlap: z
    .enum(['skip', 'queue', 'cancel'])
    .optional()
    .describe('What happens when a run is due while the one before has not ended. skip when left out.'),
  pause_after: z
    .int()
    .min(1)
    .max(1000, 'pause_after may be at most 1,000.')
    .optional()
    .describe('Failed runs in a row after which the mission is paused. 5 when left out.'),
};

export const newMission = z.strictObject({ ...settings, ...options }).meta({ id: 'NewMission' });
export const missionChange = z.strictObject(settings).partial().extend(options).meta({ id: 'MissionChange' });

type Asked = z.infer<typeof missionChange>;

export function toAsked({ schedule, thread, ...asked }: Asked): AskedMission {
  return {
    ...readFields(asked),
    ...(thread && { keepsThread: thread === 'same' }),
    ...(schedule && { schedule: readFields(schedule) }),
  };
}

export const occurrence = z
  .strictObject({
    slot: z.iso.datetime().describe('When it was due.'),
    kind: z.enum(['scheduled', 'manual', 'event']),
    status: z
      .enum(['due', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'missed', 'skipped'])
      .describe('waiting: its turn waits at a gate.'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Why it failed or did not run, such as overlap, paused, budget or not_running; no_result for a run that had nothing to say.',
      ),
    thread_id: z.uuid().nullable(),
    turn_id: z.uuid().nullable(),
    tokens: z.int(),
    cost_usd: z.number().nullable(),
    started_at: z.iso.datetime().nullable(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Occurrence' });

export const mission = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    instruction: z.string(),
    schedule: askedSchedule,
    schedule_words: z.string().describe('The schedule in words.'),
    thread: z.enum(['same', 'new']),
    thread_id: z.uuid().nullable().describe('The thread of all runs, once there was one.'),
    tools: z.array(z.string()).nullable(),
    ...shownBudgets,
    misfire: z.enum(['skip', 'latest', 'all']),
    overlap: z.enum(['skip', 'queue', 'cancel']),
    pause_after: z.int(),
    state: z.enum(['active', 'paused', 'ended']),
    pause_reason: z.enum(['paused_by_user', 'repeated_failure', 'broken_schedule', 'user_removed']).nullable(),
    failures: z.int().describe('Failed runs since the last completed one.'),
    next_due_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Mission' });

export const savedMission = mission
  .extend({
    asks_after_others: z
      .array(z.string())
      .describe(
        'The names in `tools` whose calls wait for an approval once a run has read text by others, such as a page or a mail. Tools that decide for each call are not listed.',
      ),
  })
  .meta({ id: 'SavedMission' });

export const listedMission = mission.extend({ last_run: occurrence.nullable() }).meta({ id: 'ListedMission' });

export const renderMission = (found: Mission): z.infer<typeof mission> =>
  renderAs(mission, found, {
    schedule: renderSchedule(found.schedule),
    schedule_words: describeSchedule(found.schedule),
    thread: found.keepsThread ? 'same' : 'new',
  });

export const renderListing = ({ mission: found, last }: MissionListing): z.infer<typeof listedMission> => ({
  ...renderMission(found),
  last_run: last && renderOccurrence(last),
});

function renderSchedule(schedule: Schedule): z.infer<typeof askedSchedule> {
  switch (schedule.kind) {
    case 'cron':
      return { cron: schedule.expression, time_zone: schedule.timeZone };
    case 'interval':
      return { every_minutes: schedule.everyMinutes };
    case 'once':
      return { at: schedule.at, time_zone: schedule.timeZone };
    case 'event':
      return { on_turn_of: schedule.isOwn ? 'me' : schedule.userId };
  }
}

export const renderOccurrence = (found: ListedOccurrence): z.infer<typeof occurrence> =>
  renderAs(occurrence, found, {
    status: found.state === 'started' ? (found.isWaiting ? 'waiting' : 'running') : found.state,
  });
