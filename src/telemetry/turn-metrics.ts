import { Counter, Histogram, type Registry } from 'prom-client';
import type { ModelCall } from '#domain/spending.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';

export type TurnMetrics = ReturnType<typeof createTurnMetrics>;

/** From a quick local model to the longest turn that a caller waits for. */
const LONG_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TOOL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type ModelName = { readonly provider: string; readonly name: string };

/** Labels hold only names that the operator chose: channels, models, tools. Text from callers and models never becomes a label. */
export function createTurnMetrics(registers: Registry[]) {
  const accepted = new Counter({
    name: 'reborn_turns_accepted_total',
    help: 'Turns that this replica accepted.',
    labelNames: ['channel'],
    registers,
  });
  const ended = new Counter({
    name: 'reborn_turns_ended_total',
    help: 'Turns that ended on this replica, by outcome; code is set for failures.',
    labelNames: ['channel', 'status', 'code'],
    registers,
  });
  const restarted = new Counter({
    name: 'reborn_turn_restarts_total',
    help: 'Attempts after the first, because of a crash, a hand-over or an error.',
    registers,
  });
  const queueWait = new Histogram({
    name: 'reborn_turn_queue_wait_seconds',
    help: 'Time from accepting a turn to its first attempt.',
    labelNames: ['channel'],
    buckets: WAIT_SECONDS,
    registers,
  });
  const firstToken = new Histogram({
    name: 'reborn_time_to_first_token_seconds',
    help: 'Time from accepting a turn to its first text.',
    labelNames: ['channel'],
    buckets: LONG_SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: 'reborn_turn_duration_seconds',
    help: 'Time from accepting a turn to its end.',
    labelNames: ['channel', 'status'],
    buckets: LONG_SECONDS,
    registers,
  });
  const modelFirstToken = new Histogram({
    name: 'reborn_model_first_token_seconds',
    help: 'Time from asking a model to its first text.',
    labelNames: ['provider', 'model'],
    buckets: LONG_SECONDS,
    registers,
  });
  const modelDuration = new Histogram({
    name: 'reborn_model_call_duration_seconds',
    help: 'Duration of model calls.',
    labelNames: ['provider', 'model', 'outcome'],
    buckets: LONG_SECONDS,
    registers,
  });
  const retries = new Counter({
    name: 'reborn_model_retries_total',
    help: 'Model calls that failed and were repeated, with the same or the next model.',
    labelNames: ['model', 'next'],
    registers,
  });
  const tokens = new Counter({
    name: 'reborn_model_tokens_total',
    help: 'Tokens of model calls. Cached input is also counted as input.',
    labelNames: ['provider', 'model', 'type'],
    registers,
  });
  const cost = new Counter({
    name: 'reborn_model_cost_usd_total',
    help: 'Cost of model calls with a known price.',
    labelNames: ['provider', 'model'],
    registers,
  });
  const toolDuration = new Histogram({
    name: 'reborn_tool_call_duration_seconds',
    help: 'Duration of tool calls.',
    labelNames: ['tool', 'outcome'],
    buckets: TOOL_SECONDS,
    registers,
  });

  function countModelCall({ provider, model, usage, milliseconds }: ModelCall, outcome: string): void {
    modelDuration.observe({ provider, model, outcome }, milliseconds / 1000);
    const { inputTokens, cachedInputTokens, outputTokens } = usage;
    for (const [type, count] of Object.entries({
      input: inputTokens,
      cached_input: cachedInputTokens,
      output: outputTokens,
    }))
      if (count > 0) tokens.inc({ provider, model, type }, count);
    if (usage.cost) cost.inc({ provider, model }, usage.cost.inputUsd + usage.cost.outputUsd);
  }

  return {
    accepted: ({ channel }: Turn): void => accepted.inc({ channel }),
    claimed(turn: Turn): void {
      if (turn.attempt > 0) restarted.inc();
      else queueWait.observe({ channel: turn.channel }, secondsSince(turn));
    },
    spoke: (turn: Turn): void => firstToken.observe({ channel: turn.channel }, secondsSince(turn)),
    modelSpoke: ({ provider, name }: ModelName, milliseconds: number): void =>
      modelFirstToken.observe({ provider, model: name }, milliseconds / 1000),
    modelAnswered: (call: ModelCall): void => countModelCall(call, 'answered'),
    modelFailed: (call: ModelCall): void => countModelCall(call, call.failed ? 'failed' : 'cancelled'),
    modelRetried: (model: string, next: string): void => retries.inc({ model, next }),
    toolEnded: (tool: string, outcome: 'answered' | 'failed' | 'cancelled', milliseconds: number): void =>
      toolDuration.observe({ tool, outcome }, milliseconds / 1000),
    settled(turn: Turn, outcome: TurnOutcome): void {
      const { channel } = turn;
      const { status } = outcome;
      ended.inc({ channel, status, code: status === 'failed' ? outcome.failure.code : '' });
      duration.observe({ channel, status }, secondsSince(turn));
    },
  };
}

/** PostgreSQL sets `createdAt`, so a small difference between the clocks must not become a negative time. */
const secondsSince = ({ createdAt }: Turn): number => Math.max(0, Date.now() - createdAt.getTime()) / 1000;
