import { z } from 'zod';
import type { Operations } from '#agent/administration/operations.ts';
import { defineRoute } from '#http/routes/define-route.ts';

const count = z.int().min(0);

const replicaList = z
  .strictObject({
    replicas: z.array(
      z.strictObject({
        id: z.uuid(),
        started_at: z.iso.datetime(),
        running: count.describe('Turns it is running.'),
        model: z.string().nullable().describe('Its model settings; null for an older version.'),
        self: z.boolean().describe('Whether it is the replica that answered.'),
      }),
    ),
    queue: z.strictObject({
      queued: count,
      running: count,
      waiting: count.describe('Threads with an open gate.'),
      oldest_seconds: count.nullable().describe('How long the oldest queued turn has waited.'),
    }),
  })
  .meta({ id: 'ReplicaList' });

export const replicasRoute = defineRoute({
  method: 'get',
  path: '/api/replicas',
  summary: 'List the replicas, and what is waiting.',
  access: 'operator',
  responses: { 200: { description: 'The replicas and the queue.', json: replicaList } },
  async handle({ principal }, { operations }: { operations: Operations }) {
    const { replicas, turns } = await operations.look(principal);
    return {
      replicas: replicas.map(({ id, startedAt, running, model, self }) => ({
        id,
        started_at: startedAt.toISOString(),
        running,
        model,
        self,
      })),
      queue: {
        queued: turns.queued,
        running: turns.running,
        waiting: turns.waiting,
        oldest_seconds: turns.oldestSeconds,
      },
    };
  },
});
