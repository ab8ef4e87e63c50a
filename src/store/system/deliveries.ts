import type { ReplicaId } from '#domain/ids.ts';
import type { CarryResult, Delivery, DeliveryEnd, DeliveryKind } from '#domain/notification/delivery.ts';
import type { SystemConnection } from './system-connection.ts';

/** Leases up to `room` due deliveries, the first of each target. */
export async function takeDeliveries(
  system: SystemConnection,
  replica: ReplicaId,
  room: number,
  leaseSeconds: number,
): Promise<Delivery[]> {
  const { rows } = await system.query<Delivery>(
    `select id, user_id as "userId", kind, target, type, payload, state, attempts, failures, due_at as "dueAt",
       last_error as "lastError", created_at as "createdAt", ended_at as "endedAt"
     from take_deliveries($1, $2, make_interval(secs => $3))`,
    [replica, room, leaseSeconds],
  );
  return rows;
}

export type EndedAttempt = {
  readonly delivery: Pick<Delivery, 'id' | 'attempts'>;
  readonly result: CarryResult;
  readonly end: DeliveryEnd;
};

/** Records how attempts ended; false when a newer attempt has started meanwhile. */
export async function endDeliveries(system: SystemConnection, ended: readonly EndedAttempt[]): Promise<boolean[]> {
  const ends = ended.map(({ delivery, result, end }, index) => ({
    n: index,
    id: delivery.id,
    attempt: delivery.attempts,
    outcome: result.outcome,
    state: end.state,
    is_failure: end.countsAsFailure,
    wait: end.waitSeconds,
    requeue: end.isRequeued,
    pause: end.pauseSeconds,
    status: 'status' in result ? result.status : undefined,
    retry_after: 'retryAfterSeconds' in result ? result.retryAfterSeconds : undefined,
    error: 'error' in result ? result.error : undefined,
    remote_id: 'remoteId' in result ? result.remoteId : undefined,
  }));
  const { rows } = await system.query<{ entry: number; counts: boolean }>(
    'select entry, counts from end_deliveries($1)',
    [JSON.stringify(ends)],
  );
  const counting = new Set(rows.filter(({ counts }) => counts).map(({ entry }) => entry));
  return ends.map(({ n }) => counting.has(n));
}

/** How many deliveries are open and dead, and how long the oldest open one has been due. */
export type DeliveryCounts = {
  readonly open: number;
  readonly oldestSeconds: number;
  /** A kind without dead deliveries is left out. */
  readonly dead: readonly DeadCount[];
};
export type DeadCount = { readonly kind: DeliveryKind; readonly all: number; readonly lastDay: number };

export async function countDeliveries(system: SystemConnection): Promise<DeliveryCounts> {
  const { rows } = await system.query<Omit<DeliveryCounts, 'dead'>>(
    `select (select count(*)::integer from deliveries where state in ('pending', 'sending')) as open,
       (select coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 from delivery_targets) as "oldestSeconds"`,
  );
  const { rows: dead } = await system.query<DeadCount>(
    `select kind, count(*)::integer as "all", count(*) filter (where ${IN_LAST_DAY})::integer as "lastDay"
     from ${MISSED} group by kind`,
  );
  return { ...(rows[0] ?? { open: 0, oldestSeconds: 0 }), dead };
}

/** A receiver that deliveries of the last day did not reach. */
export type MissedReceiver = {
  readonly kind: DeliveryKind;
  /** Such as `host:hooks.example.com`. */
  readonly account: string;
  readonly count: number;
  /** Of the delivery that was given up last. */
  readonly lastError: string | null;
};

/** Those that missed most first. */
export async function listMissedReceivers(system: SystemConnection): Promise<MissedReceiver[]> {
  const { rows } = await system.query<MissedReceiver>(
    `select kind, account, count(*)::integer as count, (array_agg(last_error order by ended_at desc))[1] as "lastError"
     from ${MISSED} and ${IN_LAST_DAY} group by kind, account order by count desc, account`,
  );
  return rows;
}

/**
 * No one misses what was meant for a device, an endpoint or a channel that was removed; nor can it be retried. A receiver that wants no
 * more, such as a person who has blocked the bot, does not count as a fault. Deliveries behind such an attempt have the same error.
 */
const MISSED = `deliveries where state = 'dead' and not exists (select from deliveries as refused
    join delivery_attempts on delivery_attempts.delivery_id = refused.id and delivery_attempts.outcome = 'gone'
    where refused.state = 'dead' and refused.target = deliveries.target and refused.last_error = deliveries.last_error)
  and case kind
  when 'push' then exists (select from devices where devices.id = split_part(target, ':', 2)::uuid)
  when 'event' then exists (select from notification_endpoints as endpoints where endpoints.id = split_part(target, ':', 2)::uuid)
  when 'chat' then exists (select from chat_accounts as accounts where accounts.id = split_part(target, ':', 2)::uuid)
  else true end`;
const IN_LAST_DAY = `ended_at > now() - interval '1 day'`;
