import { z } from 'zod';
import type { Notifications } from '#agent/outbox/notifications.ts';
import type { EndpointId } from '#domain/ids.ts';
import type { Endpoint } from '#domain/notification/endpoint.ts';
import { NOTICE_TYPES } from '#domain/notification/notice.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields, renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { storedText } from '../stored-text.ts';
import { noticeTypes } from './notice-shape.ts';

type Services = { readonly notifications: Notifications };

const path = '/api/notifications/endpoints/{id}';
const params = z.object({ id: uuid<EndpointId>('This endpoint does not exist.') });

const localTime = (name: string) =>
  z
    .string(`${name} must be a local time, such as 22:00.`)
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, `${name} must be a local time, such as 22:00.`);

const quietHours = z
  .strictObject(
    {
      from: localTime('quiet_hours.from'),
      until: localTime('quiet_hours.until').describe('May be on the next day.'),
      time_zone: z.string('quiet_hours.time_zone must be a string.').max(64, 'quiet_hours.time_zone is too long.'),
    },
    'quiet_hours must be an object with from, until and time_zone, or null.',
  )
  .refine(({ from, until }) => from !== until, 'quiet_hours.from and quiet_hours.until must differ.')
  .meta({ id: 'QuietHours' });

const preferences = z
  .strictObject({ quiet_hours: quietHours.nullable().describe('Notices wait until these hours end.') })
  .meta({ id: 'NotificationPreferences' });

const newEndpoint = z
  .strictObject({
    name: storedText('name', 100),
    url: z.string('url must be a string.').max(2000, 'url may have 2,000 characters.'),
    events: noticeTypes.min(1, 'events must name an event.').max(NOTICE_TYPES.length),
    turns: z.enum(['failed', 'all']).default('failed').describe('Which turn.ended events it gets.'),
    everyone: z.boolean().default(false).describe('Get the events of all users. For operators only.'),
    results: z
      .boolean()
      .default(false)
      .describe('Whether mission.completed contains the result. Not together with everyone.'),
  })
  .refine(({ results, everyone }) => !(results && everyone), {
    path: ['results'],
    error: 'results and everyone can not be combined: results are sent to their owner only.',
  })
  .meta({ id: 'NewEndpoint' });

const endpoint = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    url: z.string(),
    events: z.array(z.enum(NOTICE_TYPES)),
    turns: z.enum(['failed', 'all']),
    everyone: z.boolean(),
    results: z.boolean(),
    gone_at: z.iso.datetime().nullable().describe('When it answered 410. It gets nothing any more.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Endpoint' });

const getNotifications = defineRoute({
  method: 'get',
  path: '/api/notifications',
  summary: 'Get where and when the caller is notified.',
  responses: {
    200: {
      description: 'The preferences and endpoints.',
      json: preferences.extend({ endpoints: z.array(endpoint) }).meta({ id: 'Notifications' }),
    },
  },
  async handle({ principal }, { notifications }: Services) {
    const { quiet, endpoints } = await notifications.read(principal);
    return { quiet_hours: quiet && renderAs(quietHours, quiet), endpoints: endpoints.map(renderEndpoint) };
  },
});

const putPreferences = defineRoute({
  method: 'put',
  path: '/api/notifications/preferences',
  summary: "Set the caller's quiet hours.",
  body: preferences,
  responses: { 200: { description: 'The preferences.', json: preferences } },
  errors: [400],
  async handle({ principal, body: { quiet_hours: asked } }, { notifications }: Services) {
    await notifications.putQuietHours(principal, asked && readFields(asked));
    return { quiet_hours: asked };
  },
});

const addEndpoint = defineRoute({
  method: 'post',
  path: '/api/notifications/endpoints',
  summary: 'Add an address that gets events as signed requests.',
  body: newEndpoint,
  responses: {
    201: {
      description: 'The endpoint, and the secret that verifies its requests. The secret is not shown again.',
      json: endpoint.extend({ secret: z.string() }).meta({ id: 'EndpointWithSecret' }),
    },
  },
  errors: [400],
  async handle({ principal, body }, { notifications }: Services) {
    const { endpoint: added, secret } = await notifications.addEndpoint(principal, body);
    return { ...renderEndpoint(added), secret };
  },
});

const removeEndpoint = defineRoute({
  method: 'delete',
  path,
  summary: 'Remove an endpoint. Deliveries that wait for it are given up.',
  params,
  responses: { 204: { description: 'The endpoint is removed.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { notifications }: Services) {
    await notifications.removeEndpoint(principal, id);
  },
});

const testEndpoint = defineRoute({
  method: 'post',
  path: `${path}/test`,
  summary: 'Send the event endpoint.test to an endpoint.',
  params,
  responses: { 204: { description: 'The event will be sent; the list of deliveries shows its result.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { notifications }: Services) {
    await notifications.testEndpoint(principal, id);
  },
});

export const notificationRoutes = [getNotifications, putPreferences, addEndpoint, removeEndpoint, testEndpoint];

const renderEndpoint = (found: Endpoint): z.infer<typeof endpoint> => renderAs(endpoint, found);
