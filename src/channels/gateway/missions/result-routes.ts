import { z } from 'zod';
import type { MissionResult, MissionResults } from '#agent/missions/results.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { isUuid, type MissionId, type ThreadId } from '#domain/ids.ts';
import { firstSentence } from '#domain/text/first-sentence.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';

type Services = { readonly missionResults: MissionResults };

const result = z
  .strictObject({
    mission_id: z.uuid(),
    mission_name: z.string(),
    slot: z.iso.datetime().describe('When the run was due; with the mission, it names the result.'),
    status: z.enum(['completed', 'failed']),
    first_sentence: z.string().nullable().describe('What the answer begins with; null if there is none.'),
    failure: z
      .strictObject({ code: z.string(), message: z.string().nullable() })
      .nullable()
      .describe('Why it failed. The message is in English; null for a run that could not start.'),
    thread_id: z.uuid().nullable().describe('The thread with the answer; null if there is none any more.'),
    turn_id: z.uuid().nullable(),
    cost_usd: z.number().nullable(),
    unread: z.boolean(),
    ended_at: z.iso.datetime(),
  })
  .meta({ id: 'MissionResult' });

const listResults = defineRoute({
  method: 'get',
  path: '/api/mission-results',
  summary: "List what runs of the caller's missions have ended with, newest first.",
  query: z.object({
    unread: z.enum(['true', 'false'], 'unread must be true or false.').optional(),
    limit: pageLimit(20),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page.'),
  }),
  responses: {
    200: {
      description: 'A page of results. A run that had nothing to report has none.',
      json: z
        .strictObject({
          results: z.array(result),
          unread: z.int().describe('How many are not read, on all pages.'),
          next_cursor: z.string().nullable(),
        })
        .meta({ id: 'MissionResultList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { unread, limit, cursor } }, { missionResults }: Services) {
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    const found = await missionResults.list(principal, { unread: unread === 'true', after, limit: limit + 1 });
    const page = found.results.slice(0, limit);
    const last = found.results.length > limit ? page.at(-1) : undefined;
    return { results: page.map(renderResult), unread: found.unread, next_cursor: last ? renderCursor(last) : null };
  },
});

const readResults = defineRoute({
  method: 'post',
  path: '/api/mission-results/read',
  summary: 'Mark results of missions as read: all, those of a mission or of a thread, or one.',
  body: z
    .strictObject({
      thread_id: uuid<ThreadId>('thread_id must be the id of a thread.').optional(),
      mission_id: uuid<MissionId>('mission_id must be the id of a mission.').optional(),
      slot: z.iso.datetime('slot must be the slot of a result.').optional(),
    })
    .meta({ id: 'MissionResultsRead' }),
  responses: { 204: { description: 'They are read. What does not exist changes nothing.' } },
  errors: [400, 413],
  async handle(
    { principal, body: { thread_id: threadId, mission_id: missionId, slot } },
    { missionResults }: Services,
  ) {
    await missionResults.markRead(principal, {
      threadId,
      missionId,
      slot: slot === undefined ? undefined : new Date(slot),
    });
  },
});

export const missionResultRoutes = [listResults, readResults];

const renderResult = (found: MissionResult): z.infer<typeof result> =>
  renderAs(result, found, {
    status: found.state,
    first_sentence: found.answer === null ? null : firstSentence(found.answer) || null,
    failure: found.state === 'failed' ? failureOf(found) : null,
  });

const failureOf = ({ reason, failure }: MissionResult) => ({
  code: failure?.code ?? reason ?? 'internal_error',
  message: failure?.message ?? null,
});

const renderCursor = ({ microseconds, missionId, slot }: MissionResult) =>
  `${microseconds}_${missionId}_${slot.getTime()}`;

function parseCursor(cursor: string) {
  const [, microseconds, missionId = '', slotMs] = /^(\d{1,18})_([\da-f-]{36})_(\d{1,15})$/.exec(cursor) ?? [];
  if (!microseconds || !slotMs || !isUuid<MissionId>(missionId))
    throw new InvalidRequest('invalid_request', 'cursor', 'cursor must be the next_cursor of an earlier page.');
  return { microseconds, missionId, slotMs };
}
