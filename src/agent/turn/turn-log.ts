import type { ModelCall } from '#domain/spending.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';
import type { NewGate } from '#domain/tool/gate.ts';
import type { Model } from '#models/model.ts';
import type { Tool } from '#tools/tool.ts';

export type TurnLog = ReturnType<typeof createTurnLog>;

/**
 * Writes the life of a turn to the debug log: ids, names of models and tools, counts, and times in milliseconds. It never
 * writes content: no messages, arguments, outputs or error texts. A name that the model made up is content too.
 */
export function createTurnLog(write: (facts: object, message: string) => void) {
  return {
    accepted: (turn: Turn) => write({ ...idsOf(turn), channel: turn.channel }, 'turn accepted'),

    /** The lines of one attempt at a turn. */
    attempt(turn: Turn) {
      const claimedAt = performance.now();
      const line = (message: string, facts: object = {}) =>
        write({ ...idsOf(turn), attempt: turn.attempt, ...facts }, message);
      const msSince = (start: number) => Math.round(performance.now() - start);
      line('turn claimed', { waitedMs: Math.max(0, Date.now() - turn.createdAt.getTime()) });

      return {
        modelAsked: ({ provider, name }: Model) => line('model asked', { provider, model: name }),
        modelAnswered: ({ provider, model, milliseconds, usage }: ModelCall, calls: number) => {
          const { inputTokens, outputTokens } = usage;
          line('model answered', { provider, model, inputTokens, outputTokens, calls, ms: Math.round(milliseconds) });
        },
        modelFailed: ({ provider, name }: Model, ms: number) =>
          line('model failed', { provider, model: name, ms: Math.round(ms) }),
        /** Returns the function to call when the tool has answered. */
        toolCalled(call: FunctionCallItem, tool: Tool | undefined): () => void {
          const facts = { itemId: call.id, tool: tool?.definition.name ?? null };
          const calledAt = performance.now();
          line('tool called', facts);
          return () => line('tool answered', { ...facts, ms: msSince(calledAt) });
        },
        settled(outcome: TurnOutcome): void {
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

const idsOf = ({ id, threadId }: Turn) => ({ turnId: id, threadId });

/** For callers that don't want the lines. */
export const NO_LOG: TurnLog = createTurnLog(() => {});
