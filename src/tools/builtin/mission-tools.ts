import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isUuid, type MissionId } from '#domain/ids.ts';
import type { Mission, Occurrence } from '#domain/mission/mission.ts';
import { describeSchedule, type Schedule } from '#domain/mission/schedule.ts';
import type { Tool, ToolContext, ToolFlow } from '../tool.ts';
import { jsonTool } from './json-tool.ts';

/**
 * The user's missions. Every call that changes one needs approval, and the arguments that the user approves contain the schedule
 * in words with its next times. A call whose words or times are wrong does nothing, so what was approved is what happens.
 */
export function missionTools(missions: MissionPort): Tool[] {
  return [
    previewTool(missions),
    listTool(missions),
    createTool(missions),
    updateTool(missions),
    pauseTool(missions),
    runTool(missions),
    deleteTool(missions),
  ];
}

/** Each call asks anyway. After text by others, no earlier answer covers it. */
const CHANGES: ToolFlow = { reads: {}, runs: 'clean' };

const scheduleFields = {
  cron: z.string().max(100).optional(),
  every_minutes: z.int().optional(),
  at: z.string().max(32).optional(),
  time_zone: z.string().max(64).optional(),
};
const schedule = z
  .strictObject({
    ...scheduleFields,
    cron: scheduleFields.cron.describe('Five fields: minute, hour, day of month, month, day of week.'),
    at: scheduleFields.at.describe('A local date and time such as 2026-12-24T18:00, for a single run.'),
    time_zone: scheduleFields.time_zone.describe('An IANA name such as Europe/Oslo. Needed with cron and at.'),
  })
  .describe('Exactly one of cron, every_minutes and at.');
/** Described once, in mission_preview, which the model calls first: every prompt contains all tools. */
const previewed = z.strictObject(scheduleFields).describe('As mission_preview got it.');
const shown = {
  schedule_words: z.string().max(300).describe('The words that mission_preview gave, unchanged.'),
  next_times: z.array(z.string().max(32)).max(5).describe('The times that mission_preview gave, unchanged.'),
};
const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\0]*$/);
const instruction = z
  .string()
  .trim()
  .min(1)
  .max(20_000)
  .regex(/^[^\0]*$/)
  .describe('What you are asked at each run. It must make sense without this conversation.');
const id = z.string().describe('The id from mission_list.');

const previewTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_preview',
    flow: { reads: {}, runs: 'always' },
    description:
      'Checks a schedule and gives it in words with its next times. Stores nothing. Call it before mission_create, and before a mission_update that changes the schedule.',
    parameters: z.strictObject({ schedule }),
    act: async (given, owner) => {
      const preview = await missions.preview(owner, toAsked(given.schedule));
      return {
        schedule_words: describeSchedule(preview.schedule),
        next_times: preview.next.map((time) => time.toISOString()),
      };
    },
  });

const listTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_list',
    flow: { reads: { private: true }, from: 'missions', runs: 'always' },
    description: "Lists the user's missions: instructions that run on a schedule.",
    parameters: z.strictObject({}),
    act: async (_, owner) => ({
      missions: (await missions.list(owner)).map(({ mission, last }) => ({
        ...render(mission),
        last_run: last && { due: last.slot.toISOString(), state: last.state, reason: last.reason },
      })),
    }),
  });

const createTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_create',
    flow: CHANGES,
    description:
      'Creates a mission: an instruction that runs on a schedule without the user present. Use it only when the user asks for something at a later time or repeatedly. Call mission_preview first. The user approves the call.',
    parameters: z.strictObject({ name, instruction, schedule: previewed, ...shown }),
    level: 'ask',
    repeatable: false,
    act: async (given, owner) => {
      await checkShown(missions, owner, given);
      return render(
        await missions.create(owner, {
          name: given.name,
          instruction: given.instruction,
          schedule: toAsked(given.schedule),
        }),
      );
    },
  });

const updateTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_update',
    flow: CHANGES,
    description:
      'Changes the name, the instruction or the schedule of a mission. For a new schedule call mission_preview first, and pass its words and times.',
    parameters: z.strictObject({
      id,
      name: name.optional(),
      instruction: instruction.optional(),
      schedule: previewed.optional(),
      schedule_words: z.string().max(300).optional(),
      next_times: z.array(z.string().max(32)).max(5).optional(),
    }),
    level: 'ask',
    names: namesIn(missions),
    act: async ({ schedule: asked, schedule_words: words = '', next_times: times = [], ...given }, owner) => {
      if (asked) await checkShown(missions, owner, { schedule: asked, schedule_words: words, next_times: times });
      const changed = await missions.update(owner, missionId(given.id), {
        ...(given.name !== undefined && { name: given.name }),
        ...(given.instruction !== undefined && { instruction: given.instruction }),
        ...(asked && { schedule: toAsked(asked) }),
      });
      return render(changed);
    },
  });

const pauseTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_pause',
    flow: CHANGES,
    description: 'Pauses a mission, or resumes it with paused false.',
    parameters: z.strictObject({ id, paused: z.boolean() }),
    level: 'ask',
    names: namesIn(missions),
    act: async (given, owner) => {
      const found = missionId(given.id);
      return render(given.paused ? await missions.pause(owner, found) : await missions.resume(owner, found));
    },
  });

const runTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_run',
    flow: CHANGES,
    description: 'Starts a run of a mission now, besides its schedule.',
    parameters: z.strictObject({ id }),
    level: 'ask',
    names: namesIn(missions),
    act: async (given, owner, { idempotencyKey }) => {
      const { slot, state } = await missions.run(owner, missionId(given.id), idempotencyKey);
      return { due: slot.toISOString(), state };
    },
  });

const deleteTool = (missions: MissionPort) =>
  jsonTool({
    name: 'mission_delete',
    flow: CHANGES,
    description: 'Deletes a mission and its list of runs permanently.',
    parameters: z.strictObject({ id }),
    level: 'ask',
    names: namesIn(missions),
    act: async (given, owner) => {
      await missions.delete(owner, missionId(given.id));
      return { deleted: given.id };
    },
  });

/** Cards show the mission's name instead of its id. */
const namesIn =
  (missions: MissionPort) =>
  async (given: { readonly id: string }, owner: Owner): Promise<Record<string, string | null>> => {
    const found = (await missions.list(owner)).find(({ mission }) => mission.id === given.id);
    return { id: found?.mission.name ?? null };
  };

/** The user has approved these words and times, so they must be those of the schedule. Times that have passed since don't count. */
async function checkShown(
  missions: MissionPort,
  owner: Owner,
  given: { schedule: z.infer<typeof schedule>; schedule_words: string; next_times: string[] },
): Promise<void> {
  const { schedule: checked, next } = await missions.preview(owner, toAsked(given.schedule));
  const [first] = next;
  const ahead = given.next_times
    .map((time) => Date.parse(time))
    .filter((time) => first !== undefined && time >= first.getTime());
  const isRight = ahead.length > 0 && ahead.every((time, index) => time === next[index]?.getTime());
  // An interval counts from its creation, so its times are known only then.
  if (given.schedule_words === describeSchedule(checked) && (isRight || checked.kind === 'interval')) return;
  throw new InvalidRequest(
    'invalid_request',
    'next_times',
    'schedule_words and next_times are not those of this schedule. Call mission_preview and pass what it gives.',
  );
}

function missionId(given: string): MissionId {
  if (!isUuid<MissionId>(given))
    throw new InvalidRequest('invalid_request', 'id', 'This mission does not exist. Use mission_list to find its id.');
  return given;
}

const toAsked = ({
  cron,
  every_minutes: everyMinutes,
  at,
  time_zone: timeZone,
}: z.infer<typeof schedule>): AskedSchedule => ({
  cron,
  everyMinutes,
  at,
  timeZone,
});

const render = (mission: Mission) => ({
  id: mission.id,
  name: mission.name,
  instruction: mission.instruction,
  schedule: describeSchedule(mission.schedule),
  state: mission.state,
  pause_reason: mission.pauseReason,
  next_due_at: mission.nextDueAt?.toISOString() ?? null,
});

type Owner = ToolContext['owner'];
type AskedSchedule = {
  readonly cron?: string | undefined;
  readonly everyMinutes?: number | undefined;
  readonly at?: string | undefined;
  readonly timeZone?: string | undefined;
};
type Asked = { readonly name?: string; readonly instruction?: string; readonly schedule?: AskedSchedule };

/** The missions as the tools use them. They throw `InvalidRequest` and `NotFound`. */
export type MissionPort = {
  preview(owner: Owner, asked: AskedSchedule): Promise<{ readonly schedule: Schedule; readonly next: readonly Date[] }>;
  list(owner: Owner): Promise<readonly { readonly mission: Mission; readonly last: Occurrence | null }[]>;
  create(owner: Owner, asked: Asked): Promise<Mission>;
  update(owner: Owner, id: MissionId, asked: Asked): Promise<Mission>;
  pause(owner: Owner, id: MissionId): Promise<Mission>;
  resume(owner: Owner, id: MissionId): Promise<Mission>;
  run(owner: Owner, id: MissionId, key: string): Promise<Occurrence>;
  delete(owner: Owner, id: MissionId): Promise<void>;
};
