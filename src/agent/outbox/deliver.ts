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
import { repeat } from '#engine/repeat.ts';
import { endDelivery, takeDeliveries } from '#store/system/deliveries.ts';
import { findOutboxWork } from '#store/system/outbox.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { routeRows } from './route-outbox.ts';

/** Carries a delivery of one kind. Errors that it throws count as failures. */
export type Carry = (delivery: Delivery, call: CarryCall) => Promise<CarryResult>;
export type CarryCall = { readonly timeoutMs: number; readonly signal: AbortSignal };

export type OutboxPace = DeliveryPace & {
  /** How often to look even though the engine has not reported anything due. */
  readonly lookEveryMs: number;
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

const PACE: OutboxPace = { ...DELIVERY_PACE, lookEveryMs: 30_000, timeoutMs: 15_000 };
/** Longer than an attempt may take, and short: it is how long a target waits after its replica has died. */
const LEASE_SECONDS = 25;
const AT_ONCE = 50;

/**
 * Routes the outbox and carries due deliveries. The two oldest replicas start at once, the others join within half a minute while there
 * is more to do. A slow receiver delays only its own target: the look for due
 * deliveries does not wait for those under way.
 */
export function startDelivering(options: DeliveringOptions) {
  const pace = { ...PACE, ...options.pace };
  const stop = new AbortController();
  const underway = new Set<Promise<void>>();

  async function look(): Promise<void> {
    const { isNew, isDue } = await findOutboxWork(options.system);
    if (isNew) await routeRows(options.system);
    if (isNew || isDue) await take();
  }

  async function take(): Promise<void> {
    const room = AT_ONCE - underway.size;
    if (room <= 0 || stop.signal.aborted) return;
    const taken = await takeDeliveries(options.system, options.replica, room, LEASE_SECONDS);
    for (const delivery of taken) {
      const carried = carry(delivery).catch(options.onError);
      underway.add(carried);
      void carried.then(() => underway.delete(carried));
    }
  }

  /** After a delivery, the next one of its target is due. */
  async function carry(delivery: Delivery): Promise<void> {
    const result = await attempt(delivery);
    const end = judgeResult(delivery, result, pace);
    const counts = await endDelivery(options.system, delivery, result, end);
    if (!counts) return;
    options.onAttempt(delivery, result);
    if (end.state === 'dead' && 'error' in result) options.onDead(delivery, result.error);
    if (end.state !== 'pending') queueMicrotask(() => void take().catch(options.onError));
  }

  async function attempt(delivery: Delivery): Promise<CarryResult> {
    try {
      return await options.carriers[delivery.kind](delivery, { timeoutMs: pace.timeoutMs, signal: stop.signal });
    } catch (error) {
      options.onError(error);
      return { outcome: 'failed', error: 'The delivery could not be prepared; the log of the service has the reason.' };
    }
  }

  const looking = repeat(pace.lookEveryMs, look, options.onError);
  options.followDue('deliveries', looking.runNow);
  return {
    /** Interrupts the requests under way; other replicas make them again at once. */
    async stop(): Promise<void> {
      stop.abort();
      await looking.stop();
      await Promise.all(underway);
    },
  };
}
