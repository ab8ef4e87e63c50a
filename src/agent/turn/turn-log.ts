import type { ModelCall } from '#domain/spending.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import { traceIdOf } from '#domain/trace/trace-context.ts';
import { type Model, ModelFailure } from '#models/model.ts';
import type { TurnMetrics } from '#telemetry/turn-metrics.ts';
import type { Tool } from '#tools/tool.ts';
import { ToolFailure } from './call-tool.ts';

export type TurnLog = ReturnType<typeof createTurnLog>;

type Write = (facts: object, message: string) => void;

/**
 * Writes the life of a turn to the log and to the metrics: ids, names of models and tools, counts, and times in
 * milliseconds. Failures are warnings, everything else is for debugging; no lines are composed for what is not given. It never
 * writes content: no messages, arguments, outputs or error texts. A name that the model made up is content too.
 */
export function createTurnLog({ debug, warn }: Writers = {}, metrics?: TurnMetrics) {
  return {
    accepted(turn: Turn): void {
      metrics?.accepted(turn);
      debug?.({ ...idsOf(turn), channel: turn.channel }, 'turn accepted');
    },

    /** The lines of one attempt at a turn. */
    attempt: (turn: Turn) => createAttemptLog({ debug, warn }, metrics, turn),
  };
}

type Writers = { readonly debug?: Write | undefined; readonly warn?: Write | undefined };

export type AttemptLog = ReturnType<typeof createAttemptLog>;

function createAttemptLog({ debug, warn }: Writers, metrics: TurnMetrics | undefined, turn: Turn) {
  const claimedAt = performance.now();
  let spoke = false;
  const line = (message: string, facts: object = {}, write = debug) =>
    write?.({ ...idsOf(turn), attempt: turn.attempt, ...facts }, message);
  metrics?.claimed(turn);
  line('turn claimed', { waitedMs: Math.max(0, Date.now() - turn.createdAt.getTime()) });

  return {
    /** An event for the watchers of the turn. */
    emitted(event: TurnEvent): void {
      if (event.type === 'text-delta') {
        if (!spoke) metrics?.spoke(turn);
        spoke = true;
      }
      if (event.type === 'model-failed') metrics?.modelRetried(event.model, event.next);
    },
    modelAsked: ({ provider, name }: Model) => line('model asked', { provider, model: name }),
    modelSpoke: (model: Model, ms: number) => metrics?.modelSpoke(turn, model, ms),
    modelAnswered(call: ModelCall, calls: number): void {
      metrics?.modelAnswered(turn, call);
      const { provider, model, milliseconds, usage } = call;
      const { inputTokens, outputTokens } = usage;
      line('model answered', { provider, model, inputTokens, outputTokens, calls, ms: Math.round(milliseconds) });
    },
    /** `call.failed` is false for a call that was cancelled. */
    modelFailed(call: ModelCall, error: unknown): void {
      metrics?.modelFailed(turn, call);
      const why = error instanceof ModelFailure ? { code: error.code, status: error.status } : {};
      const facts = { provider: call.provider, model: call.model, ...why, ms: Math.round(call.milliseconds) };
      line('model failed', facts, call.failed ? warn : debug);
    },
    /** Runs a tool call, which names a code if the tool was stopped or not reached. */
    async toolCalled<T>(
      call: FunctionCallItem,
      tool: Tool | undefined,
      run: (onStopped: (code: string) => void) => Promise<T>,
    ): Promise<T> {
      const name = tool?.definition.name ?? null;
      const facts = { itemId: call.id, tool: name };
      const calledAt = performance.now();
      const stopped = (code: string) => line('tool stopped', { ...facts, code, ms: msSince(calledAt) }, warn);
      const ended = (outcome: 'answered' | 'failed' | 'cancelled', why: object = {}) => {
        if (name !== null) metrics?.toolEnded(turn, name, outcome, performance.now() - calledAt);
        line(`tool ${outcome}`, { ...facts, ...why, ms: msSince(calledAt) }, outcome === 'failed' ? warn : debug);
      };
      line('tool called', facts);
      try {
        const output = await run(stopped);
        ended('answered');
        return output;
      } catch (error) {
        if (error instanceof ToolFailure) ended('failed', { code: codeOf(error.cause) });
        else ended('cancelled');
        throw error;
      }
    },
    settled(outcome: TurnOutcome): void {
      metrics?.settled(turn, outcome);
      if (outcome.status === 'waiting') line('gate opened', { gateId: outcome.gate.id, kind: outcome.gate.kind });
      const ms = msSince(claimedAt);
      if (outcome.status === 'failed') line('turn failed', { code: outcome.failure.code, ms }, warn);
      else line('turn settled', { status: outcome.status, ms });
    },
  };
}

const msSince = (start: number) => Math.round(performance.now() - start);

const idsOf = (turn: Turn) => ({ turnId: turn.id, threadId: turn.threadId, traceId: traceIdOf(turn) });

/** The kind of an error. Its message may quote what the tool was given. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** For callers that don't want the lines. */
export const NO_LOG: TurnLog = createTurnLog();
