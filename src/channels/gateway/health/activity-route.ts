import { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

const count = z.int().min(0);

const minute = z.strictObject({
  at: z.iso.datetime().describe('When the minute began.'),
  ended: count,
  failed: count.describe('How many of them failed.'),
  wait_ms: count.nullable().describe('From accepting a turn to its first attempt, 95th percentile.'),
  duration_ms: count.describe('From accepting a turn to its end, 95th percentile.'),
});

const activity = z.strictObject({ minutes: z.array(minute) }).meta({ id: 'Activity' });

export const activityRoute = defineRoute({
  method: 'get',
  path: '/api/activity',
  summary: 'Get the turns that ended in the last hour, by minute. Minutes without any are left out.',
  access: 'operator',
  responses: { 200: { description: 'The minutes, oldest first.', json: activity } },
  async handle({ principal }, { operations }: { operations: Operations }) {
    const minutes = await operations.lookBack(principal);
    return { minutes: minutes.map((found) => renderAs(minute, found)) };
  },
});
