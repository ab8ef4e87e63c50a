import { Counter, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client';
import type { ModelCall } from '#domain/spending.ts';
import type { Turn, TurnOutcome } from '#domain/thread/turn.ts';
import { traceIdOf } from '#domain/trace/trace-context.ts';

/** Where metrics are registered. Only the format OpenMetrics has exemplars. */
export type Registers = Registry<OpenMetricsContentType>[];

export type TurnMetrics = ReturnType<typeof createTurnMetrics>;

/** From a quick local model to the longest turn that a caller waits for. */
const LONG_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TOOL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type ModelName = { readonly provider: string; readonly name: string };

/** Creates the counters of a registry. */
export const counterIn =
  (registers: Registers) =>
  <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });

const latencyIn =
  (registers: Registers) =>
  <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram<Label | 'trace_id'>({ name, help, labelNames, buckets, enableExemplars: true, registers });

/** Labels hold only names that the operator chose: channels, models, tools. Text from callers and models never becomes a label. */
export function createTurnMetrics(registers: Registers) {
  const latency = latencyIn(registers);
  const counter = counterIn(registers);
  const accepted = counter('reborn_turns_accepted_total', 'Turns that this replica accepted.', ['channel']);
  const ended = counter(
    'reborn_turns_ended_total',
    'Turns that ended on this replica, by outcome; code is set for failures.',
    ['channel', 'status', 'code'],
  );
  const restarted = counter(
    'reborn_turn_restarts_total',
    'Attempts after the first, because of a crash, a hand-over or an error.',
  );
  const queueWait = latency(
    'reborn_turn_queue_wait_seconds',
    'Time from accepting a turn to its first attempt.',
    ['channel'],
    WAIT_SECONDS,
  );
  const firstToken = latency(
    'reborn_time_to_first_token_seconds',
    'Time from accepting a turn to its first text.',
    ['channel'],
    LONG_SECONDS,
  );
  const duration = latency(
    'reborn_turn_duration_seconds',
    'Time from accepting a turn to its end.',
    ['channel', 'status'],
    LONG_SECONDS,
  );
  const toolDuration = latency(
    'reborn_tool_call_duration_seconds',
    'Duration of tool calls.',
    ['tool', 'outcome'],
    TOOL_SECONDS,
  );

  return {
    ...createModelMetrics(registers),
    accepted: ({ channel }: Turn): void => accepted.inc({ channel }),
    claimed(turn: Turn): void {
      if (turn.attempt > 0) restarted.inc();
      else queueWait.observe(during(turn, { channel: turn.channel }, secondsSince(turn)));
    },
    spoke: (turn: Turn): void => firstToken.observe(during(turn, { channel: turn.channel }, secondsSince(turn))),
    toolEnded: (turn: Turn, tool: string, outcome: 'answered' | 'failed' | 'cancelled', milliseconds: number): void =>
      toolDuration.observe(during(turn, { tool, outcome }, milliseconds / 1000)),
    settled(turn: Turn, outcome: TurnOutcome): void {
      const { channel } = turn;
      const { status } = outcome;
      ended.inc({ channel, status, code: status === 'failed' ? outcome.failure.code : '' });
      duration.observe(during(turn, { channel, status }, secondsSince(turn)));
    },
  };
}

function createModelMetrics(registers: Registers) {
  const latency = latencyIn(registers);
  const counter = counterIn(registers);
  const modelFirstToken = latency(
    'reborn_model_first_token_seconds',
    'Time from asking a model to its first text.',
    ['provider', 'model'],
    LONG_SECONDS,
  );
  const modelDuration = latency(
    'reborn_model_call_duration_seconds',
    'Duration of model calls.',
    ['provider', 'model', 'outcome'],
    LONG_SECONDS,
  );
  const retries = counter(
    'reborn_model_retries_total',
    'Model calls that failed and were repeated, with the same or the next model.',
    ['model', 'next'],
  );
  const tokens = counter('reborn_model_tokens_total', 'Tokens of model calls. Cached input is also counted as input.', [
    'provider',
    'model',
    'type',
  ]);
  const cost = counter('reborn_model_cost_usd_total', 'Cost of model calls with a known price.', ['provider', 'model']);

  function countModelCall(turn: Turn, { provider, model, usage, milliseconds }: ModelCall, outcome: string): void {
    modelDuration.observe(during(turn, { provider, model, outcome }, milliseconds / 1000));
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
    modelSpoke: (turn: Turn, { provider, name }: ModelName, milliseconds: number): void =>
      modelFirstToken.observe(during(turn, { provider, model: name }, milliseconds / 1000)),
    modelAnswered: (turn: Turn, call: ModelCall): void => countModelCall(turn, call, 'answered'),
    modelFailed: (turn: Turn, call: ModelCall): void =>
      countModelCall(turn, call, call.failed ? 'failed' : 'cancelled'),
    modelRetried: (model: string, next: string): void => retries.inc({ model, next }),
  };
}

/** An observation whose exemplar is the turn's trace. */
const during = <Labels>(turn: Turn, labels: Labels, value: number) => ({
  labels,
  value,
  exemplarLabels: { trace_id: traceIdOf(turn) },
});

/** PostgreSQL sets `createdAt`, so a small difference between the clocks must not become a negative time. */
const secondsSince = ({ createdAt }: Turn): number => Math.max(0, Date.now() - createdAt.getTime()) / 1000;
