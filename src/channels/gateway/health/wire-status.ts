import { z } from 'zod';

const count = z.int().min(0);

/** The body of `GET /api/status`. */
export const serviceStatus = z
  .strictObject({
    status: z.literal('ok'),
    version: z.string(),
    uptime_seconds: count,
    model: z.strictObject({ provider: z.string(), name: z.string(), demo: z.boolean() }),
    channels: z.strictObject({ terminal: z.boolean(), gateway: z.boolean(), webhook: z.boolean() }),
    database: z.strictObject({ kind: z.enum(['embedded', 'external']), version: z.string() }),
    replicas: count,
    queue: z.strictObject({ queued: count, running: count }),
    tools: count,
    threads: count.describe("The caller's threads; for the operator everybody's."),
  })
  .meta({ id: 'ServiceStatus' });
