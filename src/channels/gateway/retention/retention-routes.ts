import { z } from 'zod';
import type { RetentionAdmin, RetentionView } from '#agent/administration/retention-admin.ts';
import { isOwnKind, RETENTION_KINDS, type RetentionKind } from '#domain/retention.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { resolveMe, userParams } from '../users/token-routes.ts';

type Services = { readonly retention: RetentionAdmin };

const MEANING: Record<RetentionKind, string> = {
  threads: 'After the last change of a thread.',
  versions: 'Old versions of files; of each day the newest one stays, and those that a call or a message made.',
  notes: 'Earlier versions of notes and deleted notes, after they were replaced or deleted.',
  jobs: 'After the end of a job, with its callback.',
  deliveries: 'After the end of a notification, sent or given up.',
  occurrences: 'After the end of a run of a mission.',
  usage: 'Daily sums of tokens and cost.',
  audit: 'Entries of the audit log.',
};

const days = (kind: RetentionKind) =>
  z
    .int(`${kind} must be a whole number of days, or null.`)
    .nullable()
    .describe(`${MEANING[kind]} null: without limit.`);

const fieldsOf = (kinds: readonly RetentionKind[]) => Object.fromEntries(kinds.map((kind) => [kind, days(kind)]));

/** The limits of `kinds`: all of them as they apply, and those that were set. */
function shapesOf(kinds: readonly RetentionKind[], id: string) {
  const rules = z
    .strictObject(fieldsOf(kinds))
    .partial()
    .meta({ id: `${id}Rules` });
  const view = z
    .strictObject({
      days: z
        .strictObject(fieldsOf(kinds))
        .meta({ id: `${id}Days` })
        .describe('What applies, in days.'),
      set: rules.describe('What was set here. The rest is inherited.'),
    })
    .meta({ id });
  return { rules, view };
}

const everyones = shapesOf(RETENTION_KINDS, 'Retention');
const users = shapesOf(RETENTION_KINDS.filter(isOwnKind), 'UserRetention');

const getRetention = defineRoute({
  method: 'get',
  path: '/api/retention',
  summary: 'Get how long data is kept.',
  access: 'operator',
  responses: { 200: { description: 'The limits for everyone.', json: everyones.view } },
  async handle({ principal }, { retention }: Services) {
    return render(await retention.read(principal, null));
  },
});

const putRetention = defineRoute({
  method: 'put',
  path: '/api/retention',
  summary: 'Set how long data is kept. A limit that is left out returns to its default.',
  access: 'operator',
  body: everyones.rules,
  responses: { 200: { description: 'The limits for everyone.', json: everyones.view } },
  errors: [400, 413],
  async handle({ principal, body }, { retention }: Services) {
    return render(await retention.change(principal, null, replacing(RETENTION_KINDS, body)));
  },
});

const getUserRetention = defineRoute({
  method: 'get',
  path: '/api/users/{id}/retention',
  summary: "Get how long a user's data is kept.",
  params: userParams,
  responses: { 200: { description: "The user's limits.", json: users.view } },
  errors: [404],
  async handle({ principal, params }, { retention }: Services) {
    return render(await retention.read(principal, resolveMe(params.id, principal)));
  },
});

const putUserRetention = defineRoute({
  method: 'put',
  path: '/api/users/{id}/retention',
  summary: "Set how long a user's data is kept. A limit that is left out is the one for everyone.",
  access: 'operator',
  params: userParams,
  body: users.rules,
  responses: { 200: { description: "The user's limits.", json: users.view } },
  errors: [400, 404, 413],
  async handle({ principal, params, body }, { retention }: Services) {
    const subject = resolveMe(params.id, principal);
    return render(await retention.change(principal, subject, replacing(RETENTION_KINDS.filter(isOwnKind), body)));
  },
});

export const retentionRoutes = [getRetention, putRetention, getUserRetention, putUserRetention];

type Rules = Partial<Record<RetentionKind, number | null>>;

/** Every kind has an entry; the missing ones return to what they inherit. */
const replacing = (kinds: readonly RetentionKind[], rules: Rules) =>
  Object.fromEntries(kinds.map((kind) => [kind, rules[kind]]));

const render = ({ days: applied, set }: RetentionView) => ({ days: { ...applied }, set: { ...set } });
