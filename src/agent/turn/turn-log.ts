import type { ModelCall } from '#domain/spending.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import type { NewGate } from '#domain/tool/gate.ts';
import { traceIdOf } from '#domain/trace/trace-context.ts';
import type { Model } from '#models/model.ts';
import type { TurnMetrics } from '#telemetry/turn-metrics.ts';
import type { Tool } from '#tools/tool.ts';
import { ToolFailure } from './call-tool.ts';

export type TurnLog = ReturnType<typeof createTurnLog>;

/**
 * Writes the life of a turn to the debug log and to the metrics: ids, names of models and tools, counts, and times in
 * milliseconds. Without `write`, no lines are composed. It never writes content: no messages, arguments, outputs or error texts. A name that the model made up is
 * content too.
 */
export function createTurnLog(write?: (facts: object, message: string) => void, metrics?: TurnMetrics) {
  return {
    accepted(turn: Turn): void {
      metrics?.accepted(turn);
      write?.({ ...idsOf(turn), channel: turn.channel }, 'turn accepted');
    },

    /** The lines of one attempt at a turn. */
    attempt(turn: Turn) {
      const claimedAt = performance.now();
      let spoke = false;
      const line = (message: string, facts: object = {}) =>
        write?.({ ...idsOf(turn), attempt: turn.attempt, ...facts }, message);
      const msSince = (start: number) => Math.round(performance.now() - start);
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
        /** `failed` is false for a call that was cancelled. */
        modelFailed(call: ModelCall): void {
          metrics?.modelFailed(turn, call);
          line('model failed', { provider: call.provider, model: call.model, ms: Math.round(call.milliseconds) });
        },
        /** Runs a tool call. */
        async toolCalled<T>(call: FunctionCallItem, tool: Tool | undefined, run: () => Promise<T>): Promise<T> {
          const name = tool?.definition.name ?? null;
          const facts = { itemId: call.id, tool: name };
          const calledAt = performance.now();
          const ended = (outcome: 'answered' | 'failed' | 'cancelled') => {
            if (name !== null) metrics?.toolEnded(turn, name, outcome, performance.now() - calledAt);
            line(`tool ${outcome}`, { ...facts, ms: msSince(calledAt) });
          };
          line('tool called', facts);
          try {
            const output = await run();
            ended('answered');
            return output;
          } catch (error) {
            ended(error instanceof ToolFailure ? 'failed' : 'cancelled');
            throw error;
          }
        },
        settled(outcome: TurnOutcome): void {
          metrics?.settled(turn, outcome);
          if (outcome.status === 'waiting') gateOpened(outcome.gate);
          const code = outcome.status === 'failed' ? { code: outcome.failure.code } : {};
          line('turn settled', { status: outcome.status, ...code, ms: msSince(claimedAt) });
        },
      };

      function gateOpened({ id, kind }: NewGate): void {
        line('gate opened', { gateId: id, kind });
      }
    },
  };
}

export type AttemptLog = ReturnType<TurnLog['attempt']>;

const idsOf = (turn: Turn) => ({ turnId: turn.id, threadId: turn.threadId, traceId: traceIdOf(turn) });

/** For callers that don't want the lines. */
export const NO_LOG: TurnLog = createTurnLog();
