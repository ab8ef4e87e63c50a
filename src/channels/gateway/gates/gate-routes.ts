import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { GateAnswer } from '#agent/gates/answer-gate.ts';
import { InvalidRequest } from '#domain/errors.ts';
import type { GateId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import { acceptedTurn, renderAccepted } from '../threads/turn-shape.ts';
import { openGate, renderGate } from './gate-shape.ts';

type Services = { readonly agent: Agent };

const gateParams = z.object({ id: uuid<GateId>('This gate does not exist.') });

const listGates = defineRoute({
  method: 'get',
  path: '/api/gates',
  summary: 'List open gates, newest first.',
  query: z.object({
    limit: pageLimit(20),
    cursor: uuid<GateId>('cursor must be the next_cursor of an earlier answer.').optional(),
  }),
  responses: {
    200: {
      description: "The caller's open gates; for operators, everyone's.",
      json: z.strictObject({ gates: z.array(openGate), next_cursor: z.uuid().nullable() }).meta({ id: 'GateList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { limit, cursor } }, { agent }: Services) {
    const found = await agent.listGates(principal, { ...(cursor && { before: cursor }), limit: limit + 1 });
    const page = found.slice(0, limit);
    return { gates: page.map(renderGate), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
  },
});

const getGate = defineRoute({
  method: 'get',
  path: '/api/gates/{id}',
  summary: 'Get an open gate.',
  params: gateParams,
  responses: { 200: { description: 'The gate.', json: openGate } },
  errors: [404],
  async handle({ principal, params }, { agent }: Services) {
    return renderGate(await agent.getGate(principal, params.id));
  },
});

/** Of the id of a call, which a model has written. */
const MOST_LETTERS = 512;

/** Also the body of the WebSocket's `gate` message. */
export const gateAnswer = z
  .object({
    answer: z
      .enum(['approve', 'always', 'deny'])
      .optional()
      .describe(
        'For all calls of the gate: `approve` runs them, `always` also approves similar calls in future, `deny` refuses them.',
      ),
    answers: z
      .record(
        z.string().max(MOST_LETTERS, `A call_id may have ${MOST_LETTERS} characters.`),
        z.enum(['approve', 'deny'], 'An answer to a call must be approve or deny.'),
        'answers must be an object.',
      )
      .optional()
      .describe('Instead of `answer`: an answer for each call by its `call_id`. A call without one is denied.'),
    only: z
      .literal('mission')
      .nullish()
      .describe('With `always`: for runs of the mission whose call it is, and for nothing else.'),
    exactly: z
      .boolean()
      .nullish()
      .describe(
        'With `always`: for calls with exactly these arguments. Without it, texts for people to read may differ.',
      ),
    reason: z.string().max(2000).nullish().describe('Why the call is denied. The model reads it.'),
    user_id: z
      .string('user_id must be a string.')
      .max(200, 'user_id may have 200 characters.')
      .nullish()
      .describe('For a pairing: the user whose secrets the webhook user may use.'),
    input: z
      .record(
        z.string().max(64, 'A name in input may have 64 characters.'),
        z.union(
          [z.string().max(4000), z.number(), z.boolean(), z.array(z.string().max(200)).max(100)],
          'A value in input must be a text, a number, true, false or a list of texts.',
        ),
        'input must be an object.',
      )
      .nullish()
      .describe('For a gate of the kind `input`: the values by field. They go to the server, not to the model.'),
  })
  .meta({ id: 'GateAnswer' });

export function toGateAnswer(said: z.infer<typeof gateAnswer>): GateAnswer {
  const { answer, answers, only, exactly, reason, user_id: userId, input } = said;
  if ((answer === undefined) === (answers === undefined))
    throw new InvalidRequest('invalid_request', 'answer', 'Give an answer for all calls, or answers, but not both.');
  if (only && answer !== 'always')
    throw new InvalidRequest('invalid_request', 'only', 'only goes with the answer always.');
  if (exactly && answer !== 'always')
    throw new InvalidRequest('invalid_request', 'exactly', 'exactly goes with the answer always.');
  if (answers) return { kind: 'each', answers: new Map(Object.entries(answers)), reason: reason ?? '' };
  if (answer === 'deny') return { kind: 'deny', reason: reason ?? '' };
  if (answer === 'always') return { kind: 'always', ...(only && { only }), ...(exactly && { exactly }) };
  return { kind: 'approve', ...(userId && { userId }), ...(input && { input }) };
}

const answerGate = defineRoute({
  method: 'post',
  path: '/api/gates/{id}',
  summary: 'Answer a gate. The thread continues with a new turn.',
  params: gateParams,
  body: gateAnswer,
  responses: { 202: { description: 'The answer was accepted.', json: acceptedTurn } },
  errors: [400, 404, 413],
  async handle({ principal, params, body }, { agent }: Services) {
    const turn = await agent.answerGate(principal, params.id, toGateAnswer(body));
    return renderAccepted({ turn, placed: { type: 'started' } });
  },
});

export const gateRoutes = [listGates, getGate, answerGate];
