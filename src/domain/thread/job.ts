import type { ThreadId, TurnId } from '../ids.ts';
import type { Principal, UserId } from '../principal.ts';
import type { GateKind } from '../tool/gate.ts';
import type { Failure } from './turn.ts';

/** The id of its first turn. */
export type JobId = TurnId;

/** A webhook caller's view of its turns. A job moves from turn to turn through gates, and never backwards. */
export type Job = {
  readonly id: JobId;
  readonly userId: UserId;
  readonly threadId: ThreadId;
  /** Its current turn. */
  readonly turnId: TurnId;
  readonly status: JobStatus;
  /** The gate that it waits for, while it is running. */
  readonly waitingOn: GateKind | null;
  /** Why the answer is missing, once it is completed. */
  readonly failure: JobFailure | null;
  readonly conversationId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly callback: Callback | null;
};

export type JobFailure = Omit<Failure, 'code'> & { readonly code: Failure['code'] | 'cancelled' };

export const CANCELLED_JOB: JobFailure = { code: 'cancelled', message: 'The turn was cancelled.' };

export type JobStatus = 'queued' | 'running' | 'completed';

/** The callback of a job and its progress. `dead`: given up. */
export type Callback = {
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly lastError: string | null;
  /** The time of the next attempt; null before the job is completed, and after the last attempt. */
  readonly dueAt: Date | null;
};

/** The caller's fields of a new job. */
export type NewJob = Pick<Job, 'conversationId' | 'metadata'> & { readonly callbackUrl: string | null };

/** Webhook users have a separate namespace: the webhook user `ann` is not the gateway user `ann`. */
export const webhookUser = (name: string): Principal => ({ userId: `${WEBHOOK.userId}:${name}`, role: 'member' });

export const isWebhookUser = (userId: UserId) => userId.startsWith(`${WEBHOOK.userId}:`);

/** The webhook channel as a principal: it can see the jobs of all webhook users, and nothing else. */
export const WEBHOOK: Principal = { userId: 'webhook', role: 'member' };
