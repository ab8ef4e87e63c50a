import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Jobs } from '#agent/jobs.ts';
import type { Job } from '#domain/thread/job.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { type jobList, jobsQuery } from './wire-jobs.ts';

/** `GET /api/jobs`: the newest first; a user's own, or for the operator everybody's. */
export function jobsRoute(jobs: Jobs) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/jobs', async (request): Promise<z.infer<typeof jobList>> => {
      const { status, limit, cursor } = parseBody(jobsQuery, request.query);
      const found = await jobs.listJobs(request.principal, {
        ...(status && { status }),
        ...(cursor && { before: cursor }),
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      return { jobs: page.map(renderListedJob), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    });
  };
}

export function renderListedJob(job: Job): z.infer<typeof jobList>['jobs'][number] {
  const { callback } = job;
  return {
    id: job.id,
    user_id: job.userId,
    thread_id: job.threadId,
    status: job.status,
    error: job.failure,
    waiting_on: job.waitingOn,
    conversation_id: job.conversationId,
    metadata: job.metadata,
    created_at: job.createdAt.toISOString(),
    completed_at: job.completedAt?.toISOString() ?? null,
    callback: callback && {
      url: callback.url,
      status: callback.status,
      attempts: callback.attempts,
      last_error: callback.lastError,
      next_attempt_at: callback.status === 'pending' ? (callback.dueAt?.toISOString() ?? null) : null,
    },
  };
}
