import { z } from 'zod';
import type { ToolAdmin } from '#agent/administration/tool-admin.ts';
import type { MissionDrain } from '#agent/missions/drain.ts';
import type { Missions } from '#agent/missions/missions.ts';
import { type MissionId, newId, type ThreadId } from '#domain/ids.ts';
import type { Mission } from '#domain/mission/mission.ts';
import { describeSchedule } from '#domain/mission/schedule.ts';
import type { Principal } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { readFields } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import {
  askedSchedule,
  listedMission,
  mission,
  missionChange,
  newMission,
  occurrence,
  renderListing,
  renderMission,
  renderOccurrence,
  savedMission,
  toAsked,
} from './mission-shape.ts';

type Services = {
  readonly missions: Missions;
  readonly missionDrain: MissionDrain;
  readonly toolAdmin: Pick<ToolAdmin, 'askingAfterOthers'>;
};

const path = '/api/missions/{id}';
const params = z.object({ id: uuid<MissionId>('id must be the id of a mission.') });

const listMissions = defineRoute({
  method: 'get',
  path: '/api/missions',
  summary: "List the caller's missions with their next and last run, newest first.",
  query: z.object({
    thread_id: uuid<ThreadId>('thread_id must be the id of a thread.')
      .optional()
      .describe('Only the mission that runs in this thread.'),
  }),
  responses: {
    200: {
      description: 'All missions of the caller.',
      json: z
        .strictObject({
          missions: z.array(listedMission),
          drained: z.boolean().describe('The operator has stopped all missions for maintenance: no run starts.'),
        })
        .meta({ id: 'MissionList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { thread_id: threadId } }, { missions, missionDrain }: Services) {
    const listed = await missions.list(principal, threadId);
    return { missions: listed.map(renderListing), drained: await missionDrain.isDrained() };
  },
});

const drain = z
  .strictObject({
    drained: z.boolean(),
    running: z
      .int()
      .describe("Runs of all users' missions that are under way. Those that wait at a gate do not count."),
  })
  .meta({ id: 'MissionDrain' });

const getDrain = defineRoute({
  method: 'get',
  path: '/api/mission-drain',
  summary: 'Get whether missions are drained, and how many runs are under way.',
  access: 'operator',
  responses: { 200: { description: 'The drain.', json: drain } },
  handle: (_call, { missionDrain }: Services) => missionDrain.read(),
});

const putDrain = defineRoute({
  method: 'put',
  path: '/api/mission-drain',
  summary: "Start no more runs of any user's mission, or let them run again. Runs that are under way continue.",
  access: 'operator',
  body: z
    .strictObject({ drained: z.boolean('drained is required and must be true or false.') })
    .meta({ id: 'MissionDrainChange' }),
  responses: { 200: { description: 'The drain.', json: drain } },
  errors: [400, 413],
  async handle({ principal, body }, { missionDrain }: Services) {
    await (body.drained ? missionDrain.begin(principal) : missionDrain.end(principal));
    return missionDrain.read();
  },
});

const createMission = defineRoute({
  method: 'post',
  path: '/api/missions',
  summary: 'Create a mission: an instruction that runs on a schedule.',
  body: newMission,
  responses: { 201: { description: 'The mission.', json: savedMission } },
  errors: [400],
  async handle({ principal, body }, { missions, toolAdmin }: Services) {
    return renderSaved(principal, await missions.create(principal, toAsked(body)), toolAdmin);
  },
});

const previewSchedule = defineRoute({
  method: 'post',
  path: '/api/missions/preview',
  summary: 'Check a schedule, and show it in words with its next five times. Stores nothing.',
  body: z.strictObject({ schedule: askedSchedule }).meta({ id: 'SchedulePreviewRequest' }),
  responses: {
    200: {
      description: 'The schedule in words, and its next times.',
      json: z
        .strictObject({ schedule_words: z.string(), next_times: z.array(z.iso.datetime()) })
        .meta({ id: 'SchedulePreview' }),
    },
  },
  errors: [400],
  async handle({ principal, body }, { missions }: Services) {
    const { schedule, next } = await missions.preview(principal, readFields(body.schedule));
    return { schedule_words: describeSchedule(schedule), next_times: next.map((time) => time.toISOString()) };
  },
});

const getMission = defineRoute({
  method: 'get',
  path,
  summary: 'Get a mission.',
  params,
  responses: { 200: { description: 'The mission.', json: savedMission } },
  errors: [404],
  async handle({ principal, params: { id } }, { missions, toolAdmin }: Services) {
    return renderSaved(principal, await missions.get(principal, id), toolAdmin);
  },
});

const updateMission = defineRoute({
  method: 'patch',
  path,
  summary: 'Change a mission. Fields that are left out stay as they are.',
  params,
  body: missionChange,
  responses: { 200: { description: 'The changed mission.', json: savedMission } },
  errors: [400, 404],
  async handle({ principal, params: { id }, body }, { missions, toolAdmin }: Services) {
    return renderSaved(principal, await missions.update(principal, id, toAsked(body)), toolAdmin);
  },
});

const deleteMission = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a mission and its list of runs. The threads of the runs stay.',
  params,
  responses: { 204: { description: 'The mission is deleted.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { missions }: Services) {
    await missions.delete(principal, id);
  },
});

const pauseMission = defineRoute({
  method: 'post',
  path: `${path}/pause`,
  summary: 'Pause a mission. A run that is under way continues.',
  params,
  responses: { 200: { description: 'The paused mission.', json: mission } },
  errors: [404],
  async handle({ principal, params: { id } }, { missions }: Services) {
    return renderMission(await missions.pause(principal, id));
  },
});

const resumeMission = defineRoute({
  method: 'post',
  path: `${path}/resume`,
  summary: 'Resume a mission. Due times that passed during the pause are not caught up.',
  params,
  responses: { 200: { description: 'The mission.', json: mission } },
  errors: [404],
  async handle({ principal, params: { id } }, { missions }: Services) {
    return renderMission(await missions.resume(principal, id));
  },
});

const runMission = defineRoute({
  method: 'post',
  path: `${path}/run`,
  summary: 'Start a run now, besides the schedule.',
  params,
  headers: idempotencyHeader,
  responses: { 202: { description: 'The run, which starts within a second or two.', json: occurrence } },
  errors: [400, 404],
  async handle({ principal, params: { id }, request }, { missions }: Services) {
    const key = idempotencyOf(request)?.key ?? newId();
    return renderOccurrence(await missions.run(principal, id, key));
  },
});

const listOccurrences = defineRoute({
  method: 'get',
  path: `${path}/occurrences`,
  summary: 'List the due times and runs of a mission, newest first.',
  params,
  query: z.object({
    limit: pageLimit(20),
    cursor: z.iso.datetime('cursor must be the next_cursor of an earlier answer.').optional(),
  }),
  responses: {
    200: {
      description: 'Every due time has one entry, also if it was missed or skipped.',
      json: z
        .strictObject({ occurrences: z.array(occurrence), next_cursor: z.iso.datetime().nullable() })
        .meta({ id: 'OccurrenceList' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { id }, query: { limit, cursor } }, { missions }: Services) {
    const before = cursor === undefined ? undefined : new Date(cursor);
    const found = await missions.occurrences(principal, id, { before, limit: limit + 1 });
    const page = found.slice(0, limit).map(renderOccurrence);
    return { occurrences: page, next_cursor: found.length > limit ? (page.at(-1)?.slot ?? null) : null };
  },
});

export const missionRoutes = [
  getDrain,
  putDrain,
  listMissions,
  createMission,
  previewSchedule,
  getMission,
  updateMission,
  deleteMission,
  pauseMission,
  resumeMission,
  runMission,
  listOccurrences,
];

async function renderSaved(
  principal: Principal,
  saved: Mission,
  toolAdmin: Services['toolAdmin'],
): Promise<z.infer<typeof savedMission>> {
  return {
    ...renderMission(saved),
    asks_after_others: await toolAdmin.askingAfterOthers(principal, saved.tools ?? []),
  };
}
