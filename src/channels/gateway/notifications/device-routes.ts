import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Devices } from '#agent/outbox/push/devices.ts';
import type { DeviceId } from '#domain/ids.ts';
import type { Device } from '#domain/notification/device.ts';
import { NOTICE_TYPES } from '#domain/notification/notice.ts';
import { SESSION_COOKIE } from '#http/caller/bearer.ts';
import { readCookie } from '#http/caller/cookies.ts';
import type { Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { storedText } from '../stored-text.ts';
import { noticeTypes } from './notice-shape.ts';

type Services = { readonly devices: Devices; readonly site: Site };

const path = '/api/notifications/devices/{id}';
const params = z.object({ id: uuid<DeviceId>('This device does not exist.') });

const newDevice = z
  .strictObject({
    name: storedText('name', 100),
    endpoint: z.string('endpoint must be a string.').max(2000, 'endpoint may have 2,000 characters.'),
    keys: z.strictObject(
      {
        p256dh: z.string('keys.p256dh must be a string.').max(100, 'keys.p256dh is too long.'),
        auth: z.string('keys.auth must be a string.').max(32, 'keys.auth is too long.'),
      },
      'keys must be an object with p256dh and auth.',
    ),
    events: noticeTypes
      .max(NOTICE_TYPES.length, 'events names an event twice.')
      .default(['gate.opened', 'turn.ended', 'mission.failed', 'mission.paused']),
    details: z
      .boolean()
      .default(false)
      .describe('Whether notifications name tools and missions. They never contain messages or arguments.'),
  })
  .meta({ id: 'NewDevice' });

const device = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    endpoint: z.string().describe("The address at the browser's push service."),
    events: z.array(z.enum(NOTICE_TYPES)),
    details: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Device' });

const listDevices = defineRoute({
  method: 'get',
  path: '/api/notifications/devices',
  summary: "List the browsers that show the caller's notifications.",
  responses: {
    200: {
      description: 'The devices, oldest first, and the key that a browser needs to subscribe (VAPID).',
      json: z.strictObject({ devices: z.array(device), application_server_key: z.string() }).meta({ id: 'DeviceList' }),
    },
  },
  async handle({ principal }, { devices }: Services) {
    const [found, key] = await Promise.all([devices.list(principal), devices.findPublicKey()]);
    return { devices: found.map(renderDevice), application_server_key: key };
  },
});

const addDevice = defineRoute({
  method: 'post',
  path: '/api/notifications/devices',
  summary: 'Add a browser by its push subscription. The same subscription again changes the device.',
  body: newDevice,
  responses: { 201: { description: 'The device. It is removed when its browser signs out.', json: device } },
  errors: [400],
  async handle({ principal, body, request }, { devices, site }: Services) {
    const { keys, ...rest } = body;
    return renderDevice(await devices.put(principal, { ...rest, ...keys, session: sessionOf(request, site) }));
  },
});

const removeDevice = defineRoute({
  method: 'delete',
  path,
  summary: 'Remove a device. Notifications that wait for it are given up.',
  params,
  responses: { 204: { description: 'The device is removed.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { devices }: Services) {
    await devices.remove(principal, id);
  },
});

const testDevice = defineRoute({
  method: 'post',
  path: `${path}/test`,
  summary: 'Show a test notification on a device.',
  params,
  responses: { 204: { description: 'The notification will be sent; the list of deliveries shows its result.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { devices }: Services) {
    await devices.test(principal, id);
  },
});

export const deviceRoutes = [listDevices, addDevice, removeDevice, testDevice];

/** A token takes precedence over a cookie, so the cookie of such a request says nothing. */
const sessionOf = (request: FastifyRequest, site: Site) =>
  request.headers.authorization === undefined ? readCookie(request, site, SESSION_COOKIE) : undefined;

const renderDevice = (found: Device): z.infer<typeof device> => renderAs(device, found);
