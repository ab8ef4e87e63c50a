import { z } from 'zod';
import type { Jobs } from '#agent/jobs.ts';
import type { Job, JobId } from '#domain/thread/job.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import { failure } from '../threads/turn-shape.ts';

/** A webhook job in lists and WebSocket messages, without its answer. */
const callback = z.strictObject({
  url: z.string(),
  status: z.enum(['pending', 'delivered', 'dead']),
  attempts: z.int(),
  last_error: z.string().nullable(),
  next_attempt_at: z.iso.datetime().nullable(),
});

export const listedJob = z.strictObject({
  id: z.uuid(),
  user_id: z.string(),
  thread_id: z.uuid(),
  status: z.enum(['queued', 'running', 'completed']),
  error: failure.nullable(),
  waiting_on: z.string().nullable(),
  conversation_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.iso.datetime(),
  completed_at: z.iso.datetime().nullable(),
  callback: callback.nullable(),
});

const listJobs = defineRoute({
  method: 'get',
  path: '/api/jobs',
  summary: 'List webhook jobs, newest first.',
  query: z.object({
    status: z.enum(['queued', 'running', 'completed']).optional(),
    limit: pageLimit(20),
    cursor: uuid<JobId>('cursor must be the next_cursor of an earlier answer.').optional(),
  }),
  responses: {
    200: {
      description: "The caller's jobs; for operators, everyone's.",
      json: z.strictObject({ jobs: z.array(listedJob), next_cursor: z.uuid().nullable() }).meta({ id: 'JobList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { status, limit, cursor } }, { jobs }: { jobs: Jobs }) {
    const found = await jobs.listJobs(principal, {
      ...(status && { status }),
      ...(cursor && { before: cursor }),
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    return { jobs: page.map(renderListedJob), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
  },
});

export const jobRoutes = [listJobs];

export const renderListedJob = (job: Job): z.infer<typeof listedJob> =>
  renderAs(listedJob, job, { error: job.failure, callback: job.callback && renderCallback(job.callback) });

const renderCallback = (made: NonNullable<Job['callback']>) =>
  renderAs(callback, made, {
    next_attempt_at: made.status === 'pending' ? (made.dueAt?.toISOString() ?? null) : null,
  });
