import type { ReplicaId } from '#domain/ids.ts';
import type { CarryResult, Delivery, DeliveryEnd } from '#domain/notification/delivery.ts';
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

/** Records how an attempt ended; false when a newer attempt has started meanwhile. */
export async function endDelivery(
  system: SystemConnection,
  delivery: Pick<Delivery, 'id' | 'attempts'>,
  result: CarryResult,
  end: DeliveryEnd,
): Promise<boolean> {
  const { rows } = await system.query<{ counts: boolean }>(
    `select end_delivery($1, $2, $3, $4, $5, make_interval(secs => $6), $7, make_interval(secs => $8), $9, $10, $11, $12) as counts`,
    [
      delivery.id,
      delivery.attempts,
      result.outcome,
      end.state,
      end.countsAsFailure,
      end.waitSeconds,
      end.isRequeued,
      end.pauseSeconds,
      'status' in result ? (result.status ?? null) : null,
      'retryAfterSeconds' in result ? (result.retryAfterSeconds ?? null) : null,
      'error' in result ? result.error : null,
      'remoteId' in result ? (result.remoteId ?? null) : null,
    ],
  );
  return rows[0]?.counts ?? false;
}
