import type { TurnEvent } from '#domain/thread/turn-event.ts';
import { type Model, ModelFailure } from '#models/model.ts';
import type { ModelChain } from '#models/model-routes.ts';
import { modelFailed } from './model-retries.ts';

export type ModelFallbacks = ReturnType<typeof createModelFallbacks>;

/** Asks the first model of a route, and its fallbacks after failures that might not affect them. */
export function createModelFallbacks(emit: (event: TurnEvent) => void) {
  let failed = 0; // models of the chain that failed: the attempt does not ask them again

  /** `isFinal`: whether a failure can't be followed by another model any more. */
  async function ask<T>(chain: ModelChain, asking: (model: Model) => Promise<T>, isFinal = () => false): Promise<T> {
    for (;;) {
      const model = chain[Math.min(failed, chain.length - 1)] ?? chain[0];
      try {
        return await asking(model);
      } catch (error) {
        const next = chain[failed + 1];
        if (!(error instanceof ModelFailure) || error.remedy === 'none' || isFinal() || !next) throw error;
        emit(modelFailed(model, error, { next, waitMs: 0 }));
        failed++;
      }
    }
  }

  return { ask };
}
