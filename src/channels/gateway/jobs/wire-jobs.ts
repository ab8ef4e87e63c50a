import { z } from 'zod';
import { pageLimit } from '../page.ts';

export const jobsQuery = z.object({
  status: z.enum(['queued', 'running', 'completed'], 'status must be queued, running or completed.').optional(),
  limit: pageLimit(20),
  cursor: z.uuid('cursor must be the next_cursor of an earlier answer.').optional(),
});

/** A job as a list tells of it, without its answer. */
export const wireJob = z.strictObject({
  id: z.uuid(),
  user_id: z.string(),
  thread_id: z.uuid(),
  status: z.enum(['queued', 'running', 'completed']),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  waiting_on: z.string().nullable(),
  conversation_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
  callback: z
    .strictObject({
      url: z.string(),
      status: z.enum(['pending', 'delivered', 'dead']),
      attempts: z.int(),
      last_error: z.string().nullable(),
      next_attempt_at: z.iso.datetime().nullable(),
    })
    .nullable(),
});

export const jobList = z
  .strictObject({ jobs: z.array(wireJob), next_cursor: z.uuid().nullable() })
  .meta({ id: 'JobList' });
