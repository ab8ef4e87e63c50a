import type { ModelCall, SpendingLimits, Spent } from '#domain/spending.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import { type Model, type ModelAnswer, ModelCallAborted, ModelFailure, type Prompt } from '#models/model.ts';
import { checkBudget, isLimited } from './budget.ts';

/** An answer, and the call that it took, to be counted by whoever writes the answer down. */
export type MeteredAnswer = { readonly answer: ModelAnswer; readonly call: ModelCall };

export type Meter = ReturnType<typeof createMeter>;

/** Stands before every model call of an attempt: no call is made beyond the limits, and each is measured. */
export function createMeter(options: {
  readonly limits: SpendingLimits;
  readonly spent: () => Promise<Spent>;
  readonly signal: AbortSignal;
}) {
  const failedCalls: ModelCall[] = [];

  return {
    /** Throws `BudgetExceeded`, and what the model throws. */
    async ask(model: Model, prompt: Prompt, onText: (delta: string) => void): Promise<MeteredAnswer> {
      if (isLimited(options.limits)) checkBudget(options.limits, await options.spent());
      const begun = performance.now();
      const callOf = (usage: Usage, failed: boolean): ModelCall => ({
        provider: model.provider,
        model: model.name,
        usage,
        milliseconds: performance.now() - begun,
        failed,
      });
      try {
        const answer = await model.ask(prompt, onText, options.signal);
        return { answer, call: callOf(answer.usage, false) };
      } catch (error) {
        if (error instanceof ModelFailure && error.code === 'model_error')
          failedCalls.push(callOf(error.usage ?? NO_USAGE, true));
        // What was cut short is paid for too.
        if (error instanceof ModelCallAborted && error.usage) failedCalls.push(callOf(error.usage, false));
        throw error;
      }
    },

    /** For an answer that is of no use: the call has failed after all. */
    discard: (call: ModelCall): void => void failedCalls.push({ ...call, failed: true }),

    /** Those that nobody could count with what they made. */
    failedCalls: (): readonly ModelCall[] => failedCalls,
    failedUsage: (): Usage => failedCalls.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  };
}
