import type { ModelCall, SpendingLimits, Spent } from '#domain/spending.ts';
import { addUsage, NO_USAGE, type Usage } from '#domain/usage.ts';
import {
  type Model,
  type ModelAnswer,
  ModelCallAborted,
  ModelFailure,
  type OnReasoning,
  type OnText,
  type Prompt,
} from '#models/model.ts';
import { askUntilStop } from '#models/stop-sequences.ts';
import { checkBudget, checkRun, isLimited, type RunBudget } from './budget.ts';

/** An answer and its model call. Writing the answer counts the call. */
export type MeteredAnswer = { readonly answer: ModelAnswer; readonly call: ModelCall };

/** Receives each call. */
export type ModelLog = {
  modelAsked(model: Model): void;
  modelSpoke(model: Model, milliseconds: number): void;
  modelAnswered(call: ModelCall, toolCalls: number): void;
  /** `call.failed` is false for a call that was cancelled. */
  modelFailed(call: ModelCall, error: unknown): void;
};

export type Meter = ReturnType<typeof createMeter>;

/** Makes the model calls of an attempt: none beyond the limits, and each is measured. */
export function createMeter(options: {
  readonly limits: SpendingLimits;
  readonly spent: () => Promise<Spent>;
  /** The budget of the run that this turn is part of: a mission's, or a child. */
  readonly run?: RunBudget;
  readonly signal: AbortSignal;
  /** For the model's provider; undefined when traces are not exported. */
  readonly traceparent?: string | undefined;
  readonly log?: ModelLog;
}) {
  const failedCalls: ModelCall[] = [];
  const { traceparent } = options;
  const traced = (prompt: Prompt) => (traceparent === undefined ? prompt : { ...prompt, traceparent });

  return {
    /** Throws `BudgetExceeded`, and what the model throws. */
    async ask(model: Model, prompt: Prompt, onText: OnText, onReasoning?: OnReasoning): Promise<MeteredAnswer> {
      if (isLimited(options.limits)) checkBudget(options.limits, await options.spent());
      if (options.run) checkRun(options.run);
      const startedAt = performance.now();
      const callOf = (usage: Usage, failed: boolean): ModelCall => ({
        provider: model.provider,
        model: model.name,
        usage,
        milliseconds: performance.now() - startedAt,
        failed,
      });
      options.log?.modelAsked(model);
      let spoke = false;
      const onDelta = (delta: string) => {
        if (!spoke) options.log?.modelSpoke(model, performance.now() - startedAt);
        spoke = true;
        onText(delta);
      };
      try {
        const said = await askUntilStop(model, traced(prompt), onDelta, options.signal, onReasoning);
        const answer = { ...said, usage: { ...said.usage, model: model.name } };
        const call = callOf(answer.usage, false);
        options.log?.modelAnswered(call, answer.calls.length);
        return { answer, call };
      } catch (error) {
        const isCancelled = error instanceof ModelCallAborted;
        // Providers bill a call that was cut short.
        const billed = isCancelled || error instanceof ModelFailure ? error.usage : null;
        options.log?.modelFailed(callOf(billed ?? NO_USAGE, !isCancelled), error);
        if (error instanceof ModelFailure && error.code === 'model_error')
          failedCalls.push(callOf(billed ?? NO_USAGE, true));
        if (isCancelled && billed) failedCalls.push(callOf(billed, false));
        throw error;
      }
    },

    /** Counts a call as failed because its answer is unusable. */
    discard: (call: ModelCall): void => void failedCalls.push({ ...call, failed: true }),

    /** Calls that produced no item, and so are counted when the turn ends. */
    failedCalls: (): readonly ModelCall[] => failedCalls,
    failedUsage: (): Usage => failedCalls.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  };
}
