import type { ChatPost } from '../chat/chat.ts';
import type { DeliveryId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { Notice } from './notice.ts';

/** Something that must reach a target outside. It is carried until it arrives or is given up (`dead`). */
export type Delivery = {
  readonly id: DeliveryId;
  readonly userId: UserId;
  readonly kind: DeliveryKind;
  /** Its queue: deliveries of one target are carried in order, one at a time. */
  readonly target: string;
  /** The event, such as `gate.opened`. */
  readonly type: string;
  readonly payload: Notice | ChatPost | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The attempts that count against the limit. */
  readonly failures: number;
  readonly dueAt: Date;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
};

/**
 * `callback`: a webhook job, to its `callback_url`. `event`: a notice, to an endpoint. `chat`: a reply or a notice, to a chat. `push`: a
 * notice, to a device.
 */
export const DELIVERY_KINDS = ['callback', 'event', 'chat', 'push'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];
export const DELIVERY_STATES = ['pending', 'sending', 'sent', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One attempt, as the ledger has it. `unknown`: the replica died before it could record how it ended. */
export type DeliveryAttempt = {
  readonly attempt: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome | null;
  readonly status: number | null;
  readonly retryAfter: number | null;
  readonly error: string | null;
};

export type AttemptOutcome = CarryResult['outcome'] | 'unknown';

/** How an attempt ended, as the carrier of its kind reports it. */
export type CarryResult =
  | { readonly outcome: 'sent'; readonly status?: number; readonly remoteId?: string }
  /** Tried again later. */
  | {
      readonly outcome: 'failed';
      readonly error: string;
      readonly status?: number;
      readonly retryAfterSeconds?: number;
    }
  /** The receiver asks for a pause of its whole account. Does not count as a failure. */
  | {
      readonly outcome: 'limited';
      readonly error: string;
      readonly status?: number;
      readonly retryAfterSeconds: number;
    }
  /** Never accepted, so given up. Later deliveries of the target continue. */
  | { readonly outcome: 'refused'; readonly error: string; readonly status?: number }
  /** The target is gone: all its deliveries are given up. */
  | { readonly outcome: 'gone'; readonly error: string; readonly status?: number }
  /** This replica stops. Another one tries again at once. */
  | { readonly outcome: 'interrupted'; readonly error: string };

/** What follows from a result. */
export type DeliveryEnd = {
  readonly state: 'sent' | 'pending' | 'dead';
  readonly countsAsFailure: boolean;
  readonly waitSeconds: number;
  /** Goes behind the other deliveries of its target. */
  readonly isRequeued: boolean;
  /** How long the account rests. */
  readonly pauseSeconds: number | null;
};

export type DeliveryPace = {
  /** The wait after each failure. After the last one, the delivery is given up. */
  readonly delaysSeconds: readonly number[];
  /** Failures after which an event no longer holds up the later events of its target. */
  readonly requeueAfter: number;
};

/** Eleven attempts in just under a day. */
export const DELIVERY_PACE: DeliveryPace = {
  delaysSeconds: [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800],
  requeueAfter: 4,
};

const LONGEST_WAIT = 24 * 3600;
/** A receiver that only ever asks for patience is given up in the end. */
const LONGEST_LIFE_MS = 3 * 24 * 3600 * 1000;

/** Decides what follows from an attempt. `random` is between 0 and 1. */
export function judgeResult(
  delivery: Pick<Delivery, 'kind' | 'failures' | 'createdAt'>,
  result: CarryResult,
  pace: DeliveryPace,
  { now = Date.now(), random = Math.random() }: { now?: number; random?: number } = {},
): DeliveryEnd {
  const end = { countsAsFailure: false, waitSeconds: 0, isRequeued: false, pauseSeconds: null };
  switch (result.outcome) {
    case 'sent':
      return { ...end, state: 'sent' };
    case 'refused':
    case 'gone':
      return { ...end, state: 'dead', countsAsFailure: true };
    case 'interrupted':
      return { ...end, state: 'pending' };
    case 'limited': {
      if (now - delivery.createdAt.getTime() > LONGEST_LIFE_MS) return { ...end, state: 'dead' };
      const pause = Math.min(result.retryAfterSeconds, LONGEST_WAIT) * (1 + random * 0.1);
      return { ...end, state: 'pending', waitSeconds: pause, pauseSeconds: pause };
    }
    case 'failed': {
      const failures = delivery.failures + 1;
      const delay = pace.delaysSeconds[failures - 1];
      if (delay === undefined) return { ...end, state: 'dead', countsAsFailure: true };
      const asked = Math.min(result.retryAfterSeconds ?? 0, LONGEST_WAIT);
      const waitSeconds = Math.max(delay * (0.9 + random * 0.2), asked);
      const isRequeued = (delivery.kind === 'event' || delivery.kind === 'push') && failures >= pace.requeueAfter;
      return { ...end, state: 'pending', countsAsFailure: true, waitSeconds, isRequeued };
    }
  }
}
