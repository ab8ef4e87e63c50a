import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Engine } from '#engine/engine.ts';
import { countEnded, countTurns, type TurnCounts } from '#store/system/counts.ts';
import { findReplicas, type ReplicaState } from '#store/system/replicas.ts';

export type Operations = ReturnType<typeof createOperations>;

/** The state of the service, for its operators. */
export function createOperations(engine: Engine) {
  return {
    async look(
      actor: Principal,
    ): Promise<{ replicas: ReplicaState[]; turns: TurnCounts; ended: Record<string, number> }> {
      requireOperator(actor);
      const [replicas, turns, ended] = await Promise.all([
        findReplicas(engine.system, engine.replica),
        countTurns(engine.system),
        countEnded(engine.system),
      ]);
      return { replicas, turns, ended };
    },
  };
}
