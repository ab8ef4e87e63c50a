import type { ReplicaId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { ModelCall } from '#domain/spending.ts';
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

/** Calls as `count_calls` takes them. */
export const callsJson = (calls: readonly ModelCall[]): string => JSON.stringify(calls.map(toCountedCall));

export const toCountedCall = ({ provider, model, failed, usage, milliseconds }: ModelCall) => ({
  provider,
  model,
  failed,
  input: usage.inputTokens,
  cached: usage.cachedInputTokens,
  output: usage.outputTokens,
  cost: usage.cost && usage.cost.inputUsd + usage.cost.outputUsd,
  milliseconds: Math.round(milliseconds),
});
