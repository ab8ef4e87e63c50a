import type { ReplicaId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { callsJson, type ModelCall } from '#domain/spending.ts';
import type { SystemConnection } from './system-connection.ts';

/** Counts a model call that belongs to no turn. */
export async function countModelCall(
  system: SystemConnection,
  self: ReplicaId,
  userId: UserId,
  call: ModelCall,
): Promise<void> {
  await system.query('select count_calls($1, array[$2], array[$3::json])', [self, userId, callsJson([call])]);
}
