import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Delivery } from '#domain/notification/delivery.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import type { Job, JobFailure, JobId, JobStatus } from '#domain/thread/job.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { userOf } from '../scope.ts';

/** A job of any user: only the webhook channel and the operator may read it; row-level security enforces it. */
export async function findJob(trx: OwnedTransaction, id: JobId): Promise<Job | undefined> {
  const row = await jobs(trx).where('jobs.id', '=', id).executeTakeFirst();
  return row && toJob(row);
}

/** The newest job of a webhook user's thread; see `findJob`. */
export async function findJobOfThread(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
): Promise<Job | undefined> {
  const row = await jobs(trx)
    .where('jobs.userId', '=', owner.userId)
    .where('jobs.threadId', '=', threadId)
    .orderBy('jobs.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toJob(row);
}

export type JobFilter = { readonly status?: JobStatus; readonly before?: JobId; readonly limit: number };

/** Newest first, of `owner`. */
export async function listJobs(
  trx: OwnedTransaction,
  owner: Scope,
  { status, before, limit }: JobFilter,
): Promise<Job[]> {
  const rows = await jobs(trx)
    .$if(owner !== 'everyone', (query) => query.where('jobs.userId', '=', userOf(owner) as UserId))
    .$if(status !== undefined, (query) => query.where('jobs.status', '=', status as JobStatus))
    .$if(before !== undefined, (query) => query.where('jobs.id', '<', before as JobId))
    .orderBy('jobs.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toJob);
}

/** The job of a run moves on to the turn that continues it. */
export async function moveJob(trx: OwnedTransaction, owner: Owner, run: JobId, next: TurnId): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ turnId: next, waitingOn: null })
    .where('userId', '=', owner.userId)
    .where('id', '=', run)
    .execute();
}

/** Completes the job of a turn that ended without having run. */
export async function completeJob(trx: OwnedTransaction, owner: Owner, turn: Turn, failure: JobFailure): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({
      status: 'completed',
      failure: JSON.stringify(failure),
      completedAt: sql<Date>`now()`,
    })
    .where('id', '=', turn.run ?? turn.id)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Jobs with the delivery of their callback. */
const jobs = (trx: OwnedTransaction) =>
  trx
    .selectFrom('jobs')
    .leftJoin('deliveries', (join) =>
      join.onRef(sql`deliveries.id`, '=', sql`jobs.id`).on('deliveries.kind', '=', 'callback'),
    )
    .select(columns);

const columns = [
  'jobs.id',
  'jobs.userId',
  'jobs.threadId',
  'jobs.turnId',
  'jobs.status',
  'jobs.waitingOn',
  'jobs.failure',
  'jobs.conversationId',
  'jobs.metadata',
  'jobs.createdAt',
  'jobs.completedAt',
  'jobs.callbackUrl',
  'deliveries.state',
  'deliveries.attempts',
  'deliveries.lastError',
  'deliveries.dueAt',
] as const;

type JobRow = Omit<Job, 'callback'> & { readonly callbackUrl: string | null } & {
  readonly [Column in 'state' | 'attempts' | 'lastError' | 'dueAt']: Delivery[Column] | null;
};

/** The callback is not delivered before the job has ended. */
function toJob({ callbackUrl: url, state, attempts, lastError, dueAt, ...job }: JobRow): Job {
  if (!url) return { ...job, callback: null };
  if (!state || attempts === null)
    return { ...job, callback: { url, status: 'pending', attempts: 0, lastError: null, dueAt: null } };
  const status = { pending: 'pending', sending: 'pending', sent: 'delivered', dead: 'dead' } as const;
  return { ...job, callback: { url, status: status[state], attempts, lastError, dueAt } };
}
