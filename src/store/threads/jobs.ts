import { type SqlBool, sql } from 'kysely';
import type { GateId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Scope, UserId } from '#domain/principal.ts';
import type { Job, JobFailure, JobId, JobStatus, NewJob } from '#domain/thread/job.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { userOf } from '../scope.ts';

/** Creates the job for a turn that is accepted in the same transaction. */
export async function insertJob(trx: OwnedTransaction, owner: Owner, turn: Turn, job: NewJob): Promise<void> {
  await trx
    .insertInto('jobs')
    .values({
      id: turn.id,
      userId: owner.userId,
      threadId: turn.threadId,
      turnId: turn.id,
      conversationId: job.conversationId,
      metadata: job.metadata && JSON.stringify(job.metadata),
      callbackUrl: job.callbackUrl,
      callbackStatus: job.callbackUrl ? 'pending' : null,
    })
    .execute();
}

/** A job of any user: only the webhook channel and the operator may read it; row-level security enforces it. */
export async function findJob(trx: OwnedTransaction, id: JobId): Promise<Job | undefined> {
  const row = await trx.selectFrom('jobs').select(columns).where('id', '=', id).executeTakeFirst();
  return row && toJob(row);
}

/** The newest job of a webhook user's thread; see `findJob`. */
export async function findJobOfThread(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
): Promise<Job | undefined> {
  const row = await trx
    .selectFrom('jobs')
    .select(columns)
    .where('userId', '=', owner.userId)
    .where('threadId', '=', threadId)
    .orderBy('id', 'desc')
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
  const rows = await trx
    .selectFrom('jobs')
    .select(columns)
    .$if(owner !== 'everyone', (query) => query.where('userId', '=', userOf(owner) as UserId))
    .$if(status !== undefined, (query) => query.where('status', '=', status as JobStatus))
    .$if(before !== undefined, (query) => query.where('id', '<', before as JobId))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toJob);
}

/** The turn that answers a gate takes over the job of the turn that waited at it. */
export async function moveJob(trx: OwnedTransaction, owner: Owner, gate: GateId, next: TurnId): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ turnId: next, waitingOn: null })
    .where('userId', '=', owner.userId)
    .where('turnId', '=', (gates) =>
      gates.selectFrom('gates').select('turnId').where('id', '=', gate).where('userId', '=', owner.userId),
    )
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
      callbackDueAt: sql<Date>`case when callback_url is not null then now() end`,
    })
    .where('turnId', '=', turn.id)
    .where('userId', '=', owner.userId)
    .execute();
}

/**
 * Takes jobs whose callbacks are due, and leases each for as long as a call may take. Without a reported result a
 * callback becomes due again.
 */
export async function takeDueCallbacks(trx: OwnedTransaction, count: number, leaseSeconds: number): Promise<Job[]> {
  const due = trx
    .selectFrom('jobs')
    .select('id')
    .where('callbackStatus', '=', 'pending')
    .where('status', '=', 'completed')
    .where('callbackDueAt', '<=', sql<Date>`now()`)
    .orderBy('callbackDueAt')
    .limit(count)
    .forUpdate()
    .skipLocked();
  const rows = await trx
    .updateTable('jobs')
    .set({ callbackDueAt: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
    .set((job) => ({ callbackAttempts: job('callbackAttempts', '+', 1) }))
    .where('id', 'in', due)
    .returning(columns)
    .execute();
  return rows.map(toJob);
}

/** The result of a callback: delivered, to be retried later, or given up. */
export type CallbackResult =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly error: string; readonly waitSeconds: number }
  | { readonly status: 'dead'; readonly error: string };

/** Applies only if no newer attempt has started since. */
export async function recordCallback(trx: OwnedTransaction, job: Job, result: CallbackResult): Promise<void> {
  const dueAt = result.status === 'pending' ? sql<Date>`now() + make_interval(secs => ${result.waitSeconds})` : null;
  await trx
    .updateTable('jobs')
    .set({
      callbackStatus: result.status,
      callbackError: result.status === 'delivered' ? null : result.error,
      callbackDueAt: dueAt,
    })
    .where('id', '=', job.id)
    .where('callbackStatus', '=', 'pending')
    .where((row) =>
      row.or([
        row('callbackAttempts', '=', job.callback?.attempts ?? 0),
        row.val<SqlBool>(result.status === 'delivered'),
      ]),
    )
    .execute();
}

const columns = [
  'id',
  'userId',
  'threadId',
  'turnId',
  'status',
  'waitingOn',
  'failure',
  'conversationId',
  'metadata',
  'createdAt',
  'completedAt',
  'callbackUrl',
  'callbackStatus',
  'callbackAttempts',
  'callbackError',
  'callbackDueAt',
] as const;

type JobRow = Omit<Job, 'callback'> & {
  readonly callbackUrl: string | null;
  readonly callbackStatus: 'pending' | 'delivered' | 'dead' | null;
  readonly callbackAttempts: number;
  readonly callbackError: string | null;
  readonly callbackDueAt: Date | null;
};

function toJob({ callbackUrl, callbackStatus, callbackAttempts, callbackError, callbackDueAt, ...job }: JobRow): Job {
  const callback = callbackUrl &&
    callbackStatus && {
      url: callbackUrl,
      status: callbackStatus,
      attempts: callbackAttempts,
      lastError: callbackError,
      dueAt: callbackDueAt,
    };
  return { ...job, callback: callback || null };
}
