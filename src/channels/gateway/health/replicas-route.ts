import { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

const count = z.int().min(0);

const replica = z.strictObject({
  id: z.uuid(),
  started_at: z.iso.datetime(),
  running: count.describe('Turns it is running.'),
  model: z.string().nullable().describe('Its model settings; null for an older version.'),
  self: z.boolean().describe('Whether it is the replica that answered.'),
});

const queue = z.strictObject({
  queued: count,
  running: count,
  waiting: count.describe('Threads with an open gate.'),
  oldest_seconds: count.nullable().describe('How long the oldest queued turn has waited.'),
});

const replicaList = z
  .strictObject({
    replicas: z.array(replica),
    queue,
    deliveries: z.strictObject({
      open: count.describe('Those that are not made yet.'),
      dead: count.describe('Those that were given up. Removed devices, endpoints and channels do not count.'),
      dead_last_day: count.describe('Deliveries that were given up in the last day.'),
    }),
  })
  .meta({ id: 'ReplicaList' });

export const replicasRoute = defineRoute({
  method: 'get',
  path: '/api/replicas',
  summary: 'List the replicas, what is waiting, and how many deliveries were given up.',
  access: 'operator',
  responses: { 200: { description: 'The replicas, the queue and the deliveries.', json: replicaList } },
  async handle({ principal }, { operations }: { operations: Operations }) {
    const { replicas, turns, deliveries } = await operations.look(principal);
    return {
      replicas: replicas.map((found) => renderAs(replica, found)),
      queue: renderAs(queue, turns),
      deliveries: {
        open: deliveries.open,
        dead: deliveries.dead.reduce((total, { all }) => total + all, 0),
        dead_last_day: deliveries.dead.reduce((total, { lastDay }) => total + lastDay, 0),
      },
    };
  },
});
