import { z } from 'zod';

const count = z.int().min(0);

/** The body of `GET /api/replicas`: who runs turns now, and what waits. */
export const replicaList = z
  .strictObject({
    replicas: z.array(
      z.strictObject({
        id: z.uuid(),
        started_at: z.iso.datetime(),
        running: count.describe('The turns it runs now.'),
        model: z.string().nullable().describe('Its model settings in words; null for an older version.'),
        self: z.boolean().describe('Whether it is the one that answers.'),
      }),
    ),
    queue: z.strictObject({
      queued: count,
      running: count,
      waiting: count.describe('Threads that wait at a gate.'),
      oldest_seconds: count.nullable().describe('How long the oldest queued turn has waited.'),
    }),
  })
  .meta({ id: 'ReplicaList' });
