import { type OpenMetricsContentType, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { TurnId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { createMetrics } from './metrics.ts';
import { createTurnMetrics } from './turn-metrics.ts';

const TURN = {
  id: '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11' as TurnId,
  channel: 'chat',
  attempt: 0,
  createdAt: new Date(),
  request: {},
} as unknown as Turn;

const call = (failed: boolean): ModelCall => ({
  provider: 'p',
  model: 'm',
  usage: {
    inputTokens: 7,
    cachedInputTokens: 0,
    outputTokens: 2,
    reasoningTokens: 0,
    cost: { inputUsd: 1, outputUsd: 2 },
  },
  milliseconds: 40,
  failed,
});

test('a cancelled model call does not count as a failure, and every billed call counts its tokens and its cost', async () => {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const metrics = createTurnMetrics([registry]);

  metrics.modelAnswered(TURN, call(false));
  metrics.modelFailed(TURN, call(true));
  metrics.modelFailed(TURN, call(false));

  const lines = (await registry.metrics()).split('\n');
  for (const outcome of ['answered', 'failed', 'cancelled'])
    expect(lines).toContain(`reborn_model_call_duration_seconds_count{provider="p",model="m",outcome="${outcome}"} 1`);
  expect(lines).toContain('reborn_model_tokens_total{provider="p",model="m",type="input"} 21');
  expect(lines).toContain('reborn_model_cost_usd_total{provider="p",model="m"} 9');
});

test('OpenMetrics has the trace of a slow turn; the older format has the same names without it', async () => {
  const metrics = createMetrics();
  metrics.turns.claimed(TURN);
  metrics.turns.spoke(TURN);
  metrics.turns.accepted(TURN);
  const state = {
    replicas: 1,
    queued: 0,
    running: 0,
    waiting: 0,
    oldestSeconds: 0,
    placeSeconds: 0,
    endedLastHour: {},
    deliveries: { open: 0, dead: [], oldestSeconds: 0 },
    drain: { left: 7, idleSeconds: 900 },
    sockets: 0,
    streams: 0,
  };
  const open = await metrics.render(state, true);
  const plain = await metrics.render(state, false);
  metrics.stop();

  expect(open.contentType).toContain('application/openmetrics-text');
  expect(open.text).toMatch(
    /^reborn_time_to_first_token_seconds_bucket\{.*\} 1 # \{trace_id="0198c2d46d1e7c3a9b513f2f8a9f1c11"\} \S+ \S+$/m,
  );
  expect(open.text).toMatch(/# EOF\n$/);
  expect(plain.contentType).toContain('text/plain');
  expect(plain.text).not.toMatch(/trace_id|EOF/);
  const namesOf = (text: string) => new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name));
  expect(namesOf(plain.text)).toEqual(namesOf(open.text));
  expect(plain.text).toContain(
    '# TYPE reborn_turns_accepted_total counter\nreborn_turns_accepted_total{channel="chat"} 1',
  );
});
