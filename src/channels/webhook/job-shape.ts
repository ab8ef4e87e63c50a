import { z } from 'zod';
import type { JobRecord } from '#agent/jobs.ts';
import type { Callback } from '#domain/thread/job.ts';

const jobStatus = z.enum(['queued', 'running', 'completed']);

export const jobAccepted = z
  .strictObject({ job_id: z.uuid(), status: jobStatus, response: z.string().optional() })
  .meta({ id: 'JobAccepted' });

/** Times are ISO 8601 in UTC. Fields that do not apply are left out. */
export const jobRecord = z
  .strictObject({
    id: z.uuid(),
    status: jobStatus,
    response: z.string().optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    waiting_on: z.enum(['external-tool', 'approval', 'auth', 'pairing', 'input']).optional(),
    conversation_id: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().optional(),
    callback: z
      .strictObject({
        url: z.string(),
        status: z.enum(['pending', 'delivered', 'dead']),
        attempts: z.int(),
        last_error: z.string().optional(),
        next_attempt_at: z.iso.datetime().optional(),
      })
      .optional(),
  })
  .meta({ id: 'Job' });

/** Also the body of a callback. */
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
