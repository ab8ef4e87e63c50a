import type { z } from 'zod';
import type { JobRecord } from '#agent/jobs.ts';
import type { Callback } from '#domain/thread/job.ts';
import type { jobRecord } from './wire-webhook.ts';

/** The answer to `GET /jobs/{job_id}`, which is also what a callback says. */
export function renderJob({ job, response }: JobRecord): z.infer<typeof jobRecord> {
  return {
    id: job.id,
    status: job.status,
    ...(response !== null && { response }),
    ...(job.failure && { error: { code: job.failure.code, message: job.failure.message } }),
    ...(job.waitingOn && { waiting_on: job.waitingOn }),
    ...(job.conversationId !== null && { conversation_id: job.conversationId }),
    ...(job.metadata && { metadata: job.metadata }),
    created_at: job.createdAt.toISOString(),
    ...(job.completedAt && { completed_at: job.completedAt.toISOString() }),
    ...(job.callback && { callback: renderCallback(job.callback) }),
  };
}

function renderCallback({ url, status, attempts, lastError, dueAt }: Callback) {
  return {
    url,
    status,
    attempts,
    ...(lastError !== null && { last_error: lastError }),
    ...(status === 'pending' && dueAt && { next_attempt_at: dueAt.toISOString() }),
  };
}
