import { type Principal, requireOperator } from '#domain/principal.ts';
import type { TurnCounts } from '#engine/count-turns.ts';
import type { Engine } from '#engine/engine.ts';
import type { ReplicaState } from '#engine/presence/find-replicas.ts';

export type Operations = ReturnType<typeof createOperations>;

/** How the service is doing, for whoever runs it. */
export function createOperations(engine: Engine) {
  return {
    async look(
      actor: Principal,
    ): Promise<{ replicas: ReplicaState[]; turns: TurnCounts; ended: Record<string, number> }> {
      requireOperator(actor);
      const [replicas, turns, ended] = await Promise.all([
        engine.findReplicas(),
        engine.countTurns(),
        engine.countEnded(),
      ]);
      return { replicas, turns, ended };
    },
  };
}
