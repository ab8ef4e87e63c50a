import { z } from 'zod';
import type { Deliveries } from '#agent/outbox/notifications.ts';
import type { DeliveryId } from '#domain/ids.ts';
import { DELIVERY_KINDS, DELIVERY_STATES, type Delivery, type DeliveryAttempt } from '#domain/notification/delivery.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';

type Services = { readonly deliveries: Deliveries };

const path = '/api/deliveries/{id}';
const params = z.object({ id: uuid<DeliveryId>('This delivery does not exist.') });

const delivery = z
  .strictObject({
    id: z.uuid().describe('Sent as webhook-id, the same for each attempt.'),
    user_id: z.string(),
    kind: z.enum(DELIVERY_KINDS),
    target: z
      .string()
      .describe('Such as endpoint:ID, device:ID, job:ID or chat:ID:CHAT. Deliveries of a target are made in order.'),
    type: z.string().describe('The event, such as gate.opened.'),
    state: z.enum(DELIVERY_STATES).describe('dead: given up after the last attempt.'),
    attempts: z.int(),
    last_error: z.string().nullable(),
    next_attempt_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Delivery' });

const attempt = z
  .strictObject({
    attempt: z.int(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    outcome: z
      .enum(['sent', 'failed', 'limited', 'refused', 'gone', 'interrupted', 'unknown'])
      .nullable()
      .describe('null: under way. unknown: the replica died during it.'),
    status: z.int().nullable().describe('The HTTP status of the answer.'),
    retry_after: z.number().nullable().describe('The pause that the receiver asked for, in seconds.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });

const listDeliveries = defineRoute({
  method: 'get',
  path: '/api/deliveries',
  summary:
    "List deliveries to callbacks, endpoints and devices, newest first: the caller's, or for operators everyone's.",
  query: z.object({
    state: z.enum(DELIVERY_STATES).optional(),
    limit: pageLimit(50),
    cursor: uuid<DeliveryId>('cursor must be the next_cursor of an earlier answer.').optional(),
  }),
  responses: {
    200: {
      description: 'A page of deliveries. They are kept for 30 days after their end.',
      json: z
        .strictObject({ deliveries: z.array(delivery), next_cursor: z.uuid().nullable() })
        .meta({ id: 'DeliveryList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { state, limit, cursor } }, { deliveries }: Services) {
    const filter = { ...(state && { state }), ...(cursor && { before: cursor }), limit: limit + 1 };
    const found = await deliveries.list(principal, filter);
    const page = found.slice(0, limit);
    return {
      deliveries: page.map(renderDelivery),
      next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
    };
  },
});

const getDelivery = defineRoute({
  method: 'get',
  path,
  summary: 'Get a delivery with all its attempts.',
  params,
  responses: {
    200: {
      description: 'The delivery, and its attempts, oldest first.',
      json: delivery.extend({ ledger: z.array(attempt) }).meta({ id: 'DeliveryRecord' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { deliveries }: Services) {
    const { delivery: found, attempts } = await deliveries.get(principal, id);
    return { ...renderDelivery(found), ledger: attempts.map(renderAttempt) };
  },
});

const retryDelivery = defineRoute({
  method: 'post',
  path: `${path}/retry`,
  summary: 'Try a delivery again that was given up.',
  params,
  responses: { 200: { description: 'The delivery, which is due now.', json: delivery } },
  errors: [400, 404],
  async handle({ principal, params: { id } }, { deliveries }: Services) {
    return renderDelivery(await deliveries.retry(principal, id));
  },
});

export const deliveryRoutes = [listDeliveries, getDelivery, retryDelivery];

function renderDelivery(found: Delivery): z.infer<typeof delivery> {
  const isOpen = found.state === 'pending' || found.state === 'sending';
  return renderAs(delivery, found, { next_attempt_at: isOpen ? found.dueAt.toISOString() : null });
}

const renderAttempt = (made: DeliveryAttempt): z.infer<typeof attempt> => renderAs(attempt, made);
