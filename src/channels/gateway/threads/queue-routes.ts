import { z } from 'zod';
import type { Threads } from '#agent/threads/threads.ts';
import type { TurnId } from '#domain/ids.ts';
import { placement } from '#http/placement.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { renderItem, threadItem } from './item-shape.ts';
import { threadParams } from './thread-shape.ts';
import { placed } from './turn-shape.ts';

type Services = { readonly threads: Threads };

const queuedTurn = z
  .strictObject({
    turn_id: z.uuid(),
    seq: z.int().min(1).describe("The turn's number in the thread."),
    channel: z.string(),
    created_at: z.iso.datetime(),
    placed: placement.describe('Where the message is now.'),
    items: z.array(threadItem).describe('Its input.'),
  })
  .meta({ id: 'QueuedTurn' });

export const listQueue = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/queue',
  summary: 'List the messages that wait behind the running turn of a thread.',
  params: threadParams,
  responses: {
    200: {
      description: 'The turns that have not started, in order. At most 16.',
      json: z.strictObject({ queued: z.array(queuedTurn) }).meta({ id: 'ThreadQueue' }),
    },
  },
  errors: [404],
  async handle({ principal, params }, { threads }: Services) {
    const queue = await threads.queue(principal, params.id);
    return {
      queued: queue.map(({ turn, placed: at, items }) =>
        renderAs(queuedTurn, turn, { turn_id: turn.id, placed: at, items: items.map(renderItem) }),
      ),
    };
  },
});

const withdraw = defineRoute({
  method: 'delete',
  path: '/api/threads/{id}/queue/{turn}',
  summary: 'Withdraw a message that waits. It is deleted, as if it had never been sent.',
  params: threadParams.extend({ turn: uuid<TurnId>('This message is not in the queue.') }),
  responses: { 204: { description: 'The message is deleted.' } },
  errors: [404, 409],
  async handle({ principal, params }, { threads }: Services) {
    await threads.withdraw(principal, { threadId: params.id, turnId: params.turn });
  },
});

const hurry = defineRoute({
  method: 'patch',
  path: '/api/threads/{id}/queue/{turn}',
  summary: 'Let a message that waits steer the running turn, with the messages before it.',
  params: threadParams.extend({ turn: uuid<TurnId>('This message is not in the queue.') }),
  body: z
    .object({ when_busy: z.enum(['steer', 'now'], 'when_busy must be steer or now.') })
    .meta({ id: 'HurryRequest' }),
  responses: { 200: { description: 'Where the message is then.', json: z.strictObject({ placed }) } },
  errors: [400, 404, 409],
  async handle({ principal, params, body }, { threads }: Services) {
    const steers = body.when_busy === 'now' ? 'now' : 'step';
    return { placed: await threads.hurry(principal, { threadId: params.id, turnId: params.turn }, steers) };
  },
});

export const queueRoutes = [listQueue, withdraw, hurry];
