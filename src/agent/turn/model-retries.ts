import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelTrouble, TurnEvent } from '#domain/thread/turn-event.ts';
import { type Model, ModelFailure, type OnReasoning, type OnText, type Prompt } from '#models/model.ts';
import type { Meter, MeteredAnswer } from '../spending/budget-meter.ts';

/** The most tries for a failing model, and the total of the waits between them. */
export type RetryLimits = { readonly tries: number; readonly seconds: number };

export const USUAL_RETRIES: RetryLimits = { tries: 4, seconds: 15 };

/** A longer Retry-After is not waited for. */
const LONGEST_WAIT_MS = 60_000;
/** The factor from one wait to the next. */
const GROWTH = 3;
const JITTER = 0.2;

/**
 * Asks a model again that failed before it said anything. Once it has said something, a failure is final: text that
 * watchers have seen is never doubled.
 */
export function createRetries(parts: {
  readonly limits: RetryLimits;
  readonly meter: Meter;
  readonly signal: AbortSignal;
  readonly emit: (event: TurnEvent) => void;
}) {
  const { limits, meter, signal, emit } = parts;

  return {
    /** Throws the meter's errors, and an `AbortError` when the signal is aborted during a wait. */
    async ask(model: Model, prompt: Prompt, onText: OnText, onReasoning?: OnReasoning): Promise<MeteredAnswer> {
      for (let tries = 1; ; tries++) {
        let spoke = false;
        const onDelta = (delta: string) => {
          spoke = true;
          onText(delta);
        };
        try {
          return await meter.ask(model, prompt, onDelta, onReasoning);
        } catch (error) {
          if (!(error instanceof ModelFailure) || error.remedy !== 'ask-again' || spoke) throw error;
          const waitMs = Math.max(backoffMs(limits, tries), withJitter(error.retryAfterMs));
          if (tries >= limits.tries || error.retryAfterMs > LONGEST_WAIT_MS) throw error;
          const after = { next: tries + 1, most: limits.tries };
          emit(modelFailed(model, error, { next: model, waitMs, tries: after }));
          await sleep(waitMs, undefined, { signal });
        }
      }
    },
  };
}

export function modelFailed(
  model: Model,
  failure: ModelFailure,
  { next, waitMs, tries }: Pick<ModelTrouble, 'waitMs' | 'tries'> & { readonly next: Model },
): TurnEvent {
  const { message, details } = failure;
  const failedAt = new Date().toISOString();
  return {
    type: 'model-failed',
    model: model.name,
    message,
    ...(details && { details }),
    next: next.name,
    waitMs,
    ...(tries && { tries }),
    failedAt,
  };
}

/** The wait after a number of tries. All waits together take about `seconds`; later ones are longer. */
function backoffMs({ tries, seconds }: RetryLimits, failed: number): number {
  const shares = Array.from({ length: tries - 1 }, (_, index) => GROWTH ** index);
  const all = shares.reduce((sum, share) => sum + share, 0);
  const share = (shares[failed - 1] ?? 0) / (all || 1);
  return Math.round(share * seconds * 1000 * (1 + JITTER * (2 * Math.random() - 1)));
}

/** Later than the provider asked for, never earlier, so that clients don't all return at the same moment. */
const withJitter = (ms: number) => Math.round(ms * (1 + JITTER * Math.random()));
