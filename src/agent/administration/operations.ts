import { type Principal, requireOperator } from '#domain/principal.ts';
import type { Engine } from '#engine/engine.ts';
import { countEnded, countTurns, type MinuteOfTurns, readLastHour, type TurnCounts } from '#store/system/counts.ts';
import { countDeliveries, type DeliveryCounts } from '#store/system/deliveries.ts';
import { type DrainState, findDrain } from '#store/system/moves.ts';
import { findReplicas, type ReplicaState } from '#store/system/replicas.ts';
import type { Metrics, ServiceState } from '#telemetry/metrics.ts';

export type { DrainState };

export type Operations = ReturnType<typeof createOperations>;

/** The state of the service, for its operators. */
export function createOperations(engine: Engine, metrics: Metrics) {
  return {
    async look(actor: Principal): Promise<{ replicas: ReplicaState[]; turns: TurnCounts; deliveries: DeliveryCounts }> {
      requireOperator(actor);
      const [replicas, turns, deliveries] = await Promise.all([
        findReplicas(engine.system, engine.replica),
        countTurns(engine.system),
        countDeliveries(engine.system),
      ]);
      return { replicas, turns, deliveries };
    },

    async lookBack(actor: Principal): Promise<MinuteOfTurns[]> {
      requireOperator(actor);
      return readLastHour(engine.system);
    },

    /** Undefined if this cell was never drained. */
    async findDrain(actor: Principal): Promise<DrainState | undefined> {
      requireOperator(actor);
      return findDrain(engine.system);
    },

    /** The metrics of this process, and the state of queue and replicas, as text for Prometheus. `isOpen`: in the format OpenMetrics. */
    async renderMetrics(
      actor: Principal,
      connections: Pick<ServiceState, 'sockets' | 'streams'>,
      isOpen: boolean,
    ): Promise<{ text: string; contentType: string }> {
      const [{ replicas, turns, deliveries }, endedLastHour, drain] = await Promise.all([
        this.look(actor),
        countEnded(engine.system),
        findDrain(engine.system),
      ]);
      const { oldestSeconds, placeSeconds, ...counts } = turns;
      const state = {
        ...connections,
        ...counts,
        replicas: replicas.length,
        oldestSeconds: oldestSeconds ?? 0,
        placeSeconds: placeSeconds ?? 0,
        endedLastHour,
        deliveries,
        drain: drain && !drain.isEnded ? drain : undefined,
      };
      return metrics.render(state, isOpen);
    },
  };
}
