import { createBatch } from '#domain/batch.ts';
import type { ReplicaId } from '#domain/ids.ts';
import {
  type CarryResult,
  DELIVERY_PACE,
  type Delivery,
  type DeliveryKind,
  type DeliveryPace,
  judgeResult,
} from '#domain/notification/delivery.ts';
import type { Engine } from '#engine/engine.ts';
import { startWorkQueue } from '#engine/work-queue.ts';
import { isAway } from '#store/away.ts';
import { type EndedAttempt, endDeliveries, takeDeliveries } from '#store/system/deliveries.ts';
import { findOutboxWork } from '#store/system/outbox.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { routeRows } from './route-outbox.ts';

/** Carries a delivery of one kind. Errors that it throws count as failures. */
export type Carry = (delivery: Delivery, call: CarryCall) => Promise<CarryResult>;
export type CarryCall = { readonly timeoutMs: number; readonly signal: AbortSignal };

export type OutboxPace = DeliveryPace & {
  /** How often to poll even though the engine has not reported anything due. */
  readonly pollEveryMs: number;
  readonly timeoutMs: number;
};

export type DeliveringOptions = {
  readonly system: SystemConnection;
  readonly followDue: Engine['followDue'];
  readonly replica: ReplicaId;
  readonly carriers: Readonly<Record<DeliveryKind, Carry>>;
  readonly pace?: Partial<OutboxPace> | undefined;
  /** Called with each attempt that counted. */
  readonly onAttempt: (delivery: Delivery, result: CarryResult) => void;
  readonly onDead: (delivery: Delivery, error: string) => void;
  readonly onError: (error: unknown) => void;
};

const PACE: OutboxPace = { ...DELIVERY_PACE, pollEveryMs: 30_000, timeoutMs: 15_000 };
/** Longer than an attempt may take, and short: it is how long a target waits after its replica has died. */
const LEASE_SECONDS = 25;
const AT_ONCE = 50;

/**
 * Routes the outbox and carries due deliveries. The two oldest replicas start at once, the others join within half a minute while there
 * is more to do. A slow receiver delays only its own target: the poll for due
 * deliveries does not wait for those under way.
 */
export function startDelivering(options: DeliveringOptions) {
  const { system, replica, onError } = options;
  const pace = { ...PACE, ...options.pace };
  const stop = new AbortController();
  const end = createBatch((ends: readonly EndedAttempt[]) => endDeliveries(system, ends), isAway);

  async function routeNew(): Promise<boolean> {
    const { isNew, isDue } = await findOutboxWork(system);
    if (isNew) await routeRows(system);
    return isNew || isDue;
  }

  /** After a delivery, the next one of its target is due. */
  async function carry(delivery: Delivery): Promise<boolean> {
    const result = await attempt(delivery);
    const judged = judgeResult(delivery, result, pace);
    const counts = await end({ delivery, result, end: judged });
    if (!counts) return false;
    options.onAttempt(delivery, result);
    if (judged.state === 'dead' && 'error' in result) options.onDead(delivery, result.error);
    return judged.state !== 'pending';
  }

  async function attempt(delivery: Delivery): Promise<CarryResult> {
    try {
      return await options.carriers[delivery.kind](delivery, { timeoutMs: pace.timeoutMs, signal: stop.signal });
    } catch (error) {
      onError(error);
      return { outcome: 'failed', error: 'The delivery could not be prepared; the log of the service has the reason.' };
    }
  }

  const queue = startWorkQueue({
    take: (room) => takeDeliveries(system, replica, room, LEASE_SECONDS),
    handle: carry,
    atOnce: AT_ONCE,
    prepare: routeNew,
    pollEveryMs: pace.pollEveryMs,
    wakeOn: (runNow) => options.followDue('deliveries', runNow),
    onError,
  });
  return {
    /** Interrupts the requests under way; other replicas make them again at once. */
    async stop(): Promise<void> {
      stop.abort();
      await queue.stop();
    },
  };
}
