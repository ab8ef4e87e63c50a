import { z } from 'zod';
import type { ThreadId } from '#domain/ids.ts';
import { type EndpointNotice, NOTICE_TYPES } from '#domain/notification/notice.ts';

/** The events that a device or an endpoint asks for. */
export const noticeTypes = z.array(
  z.enum(NOTICE_TYPES, `events must be names of events: ${NOTICE_TYPES.join(', ')}.`),
  'events must be a list.',
);

const ids = { user_id: z.string(), thread_id: z.uuid(), turn_id: z.uuid(), url: z.string().optional() };

/** The body of a request to an endpoint, as Standard Webhooks recommends it. */
export const noticeBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('turn.ended'),
    timestamp: z.iso.datetime(),
    data: z.strictObject({
      ...ids,
      status: z.enum(['completed', 'incomplete', 'failed', 'cancelled']),
      error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    }),
  }),
  z.strictObject({
    type: z.literal('gate.opened'),
    timestamp: z.iso.datetime(),
    data: z.strictObject({
      ...ids,
      gate_id: z.uuid(),
      kind: z.enum(['external-tool', 'approval', 'auth', 'pairing', 'input']),
      tool: z.string(),
    }),
  }),
  z.strictObject({
    type: z.enum(['mission.completed', 'mission.failed']),
    timestamp: z.iso.datetime(),
    data: z.strictObject({
      ...ids,
      thread_id: z.uuid().nullable(),
      turn_id: z.uuid().nullable(),
      mission_id: z.uuid(),
      name: z.string(),
      slot: z.iso.datetime(),
      reason: z.string().nullable(),
      failures: z.int().describe('Failed runs in a row.'),
      result: z.string().optional().describe('What the run said, for an endpoint with results.'),
    }),
  }),
  z.strictObject({
    type: z.literal('mission.paused'),
    timestamp: z.iso.datetime(),
    data: z.strictObject({ user_id: z.string(), mission_id: z.uuid(), name: z.string(), reason: z.string() }),
  }),
  z.strictObject({
    type: z.literal('limit.requested'),
    timestamp: z.iso.datetime(),
    data: z.strictObject({ user_id: z.string().describe('Who asks for a higher limit.') }),
  }),
  z.strictObject({
    type: z.literal('endpoint.test'),
    timestamp: z.iso.datetime(),
    data: z.strictObject({ user_id: z.string(), endpoint_id: z.uuid() }),
  }),
]);

type Surroundings = {
  /** Where a person can look at the thread. */
  readonly threadUrl: (id: ThreadId) => string | undefined;
  /** What the run of a mission said, if the receiver gets it. */
  readonly result: string | undefined;
};

export function renderNotice(
  notice: EndpointNotice,
  at: Date,
  { threadUrl, result }: Surroundings,
): z.infer<typeof noticeBody> {
  const timestamp = at.toISOString();
  const url = 'threadId' in notice && notice.threadId ? threadUrl(notice.threadId) : undefined;
  const link = url === undefined ? {} : { url };
  switch (notice.type) {
    case 'turn.ended': {
      const { type, userId, threadId, turnId, status, failure } = notice;
      const error = failure && { code: failure.code, message: failure.message };
      return {
        type,
        timestamp,
        data: { user_id: userId, thread_id: threadId, turn_id: turnId, ...link, status, error },
      };
    }
    case 'gate.opened': {
      const { type, userId, threadId, turnId, gateId, kind, tool } = notice;
      const about = { user_id: userId, thread_id: threadId, turn_id: turnId, ...link };
      return { type, timestamp, data: { ...about, gate_id: gateId, kind, tool } };
    }
    case 'mission.completed':
    case 'mission.failed': {
      const { type, userId, threadId, turnId, missionId, name, slot, reason, failures = 0 } = notice;
      const about = { user_id: userId, thread_id: threadId, turn_id: turnId, ...link };
      const due = new Date(slot).toISOString();
      const said = result === undefined ? {} : { result };
      return { type, timestamp, data: { ...about, mission_id: missionId, name, slot: due, reason, failures, ...said } };
    }
    case 'mission.paused': {
      const { type, userId, missionId, name, reason } = notice;
      return { type, timestamp, data: { user_id: userId, mission_id: missionId, name, reason } };
    }
    case 'limit.requested':
      return { type: notice.type, timestamp, data: { user_id: notice.userId } };
    case 'endpoint.test':
      return { type: notice.type, timestamp, data: { user_id: notice.userId, endpoint_id: notice.endpointId } };
  }
}
