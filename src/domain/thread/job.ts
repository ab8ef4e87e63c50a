import type { ThreadId, TurnId } from '../ids.ts';
import type { Principal, UserId } from '../principal.ts';
import type { GateKind } from '../tool/gate.ts';
import type { Failure } from './turn.ts';

export type JobId = string;

/** A webhook caller's handle on its turn. It follows the turn through gates to the last one, and only moves forward. */
export type Job = {
  readonly id: JobId;
  readonly userId: UserId;
  readonly threadId: ThreadId;
  /** The turn it has come to. */
  readonly turnId: TurnId;
  readonly status: JobStatus;
  /** The gate at which it waits, while it is running. */
  readonly waitingOn: GateKind | null;
  /** Why there is no answer, once it is completed. */
  readonly failure: JobFailure | null;
  readonly conversationId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  readonly callback: Callback | null;
};

export type JobFailure = { readonly code: Failure['code'] | 'cancelled'; readonly message: string };

export const CANCELLED_JOB: JobFailure = { code: 'cancelled', message: 'The turn was cancelled.' };

export type JobStatus = 'queued' | 'running' | 'completed';

/** Where a completed job is told, and how far that has got. `dead`: it was given up. */
export type Callback = {
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly lastError: string | null;
  /** When it is tried next; null before the job is completed, and once it is over. */
  readonly dueAt: Date | null;
};

/** What a caller may say about its job. */
export type NewJob = Pick<Job, 'conversationId' | 'metadata'> & { readonly callbackUrl: string | null };

/** Webhook users are a namespace of their own: `ann` there is not the gateway's ann. */
export const webhookUser = (name: string): Principal => ({ userId: `${WEBHOOK.userId}:${name}`, role: 'member' });

export const isWebhookUser = (userId: UserId) => userId.startsWith(`${WEBHOOK.userId}:`);

/** The channel itself, whoever holds its secret: it looks after the jobs of all webhook users, and nothing else. */
export const WEBHOOK: Principal = { userId: 'webhook', role: 'member' };
