import { NotFound } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import { canSee, type Principal, type UserId } from '#domain/principal.ts';
import { type Job, type JobId, WEBHOOK } from '#domain/thread/job.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { findJob, findJobOfThread, type JobFilter, listJobs } from '#store/threads/jobs.ts';
import { findTurnRecord } from '#store/threads/turns.ts';
import { replyOf, wordsOf } from './watch/turn-reply.ts';

/** A job, and the agent's answer once it is completed. */
export type JobRecord = { readonly job: Job; readonly response: string | null };

export type Jobs = ReturnType<typeof createJobs>;

/** Jobs as their callers see them. */
export function createJobs(db: Database) {
  /** The text of the turn that ended the job. */
  async function readResponse({ userId, threadId, turnId }: Job): Promise<string> {
    const record = await withOwner(db, { userId }, (trx) => findTurnRecord(trx, { userId }, threadId, turnId));
    if (!record) throw new Error(`The turn ${turnId} of a job is gone.`);
    return wordsOf(replyOf(record));
  }

  const withResponse = async (job: Job): Promise<JobRecord> => ({
    job,
    response: job.status === 'completed' && !job.failure ? await readResponse(job) : null,
  });

  return {
    withResponse,
    /** The job of any webhook user: callers have proved that they know the channel's secret. */
    async getJob(id: JobId): Promise<JobRecord> {
      const job = await withOwner(db, WEBHOOK, (trx) => findJob(trx, id));
      if (!job) throw new NotFound('This job does not exist.');
      return withResponse(job);
    },
    /** The newest job of a thread. An operator can see everyone's. */
    async findJobOfThread(principal: Principal, threadId: ThreadId, userId: UserId): Promise<Job | undefined> {
      if (!canSee(principal, userId)) return undefined;
      return withScope(db, principal, (trx) => findJobOfThread(trx, { userId }, threadId));
    },
    /** A member's own, or for an operator everyone's. */
    listJobs: (principal: Principal, filter: JobFilter): Promise<Job[]> =>
      withScope(db, principal, (trx, scope) => listJobs(trx, scope, filter)),
  };
}
