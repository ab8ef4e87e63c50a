import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { ModelCall } from '#domain/spending.ts';
import { createTurnMetrics } from './turn-metrics.ts';

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

test('a cancelled model call is no failure, and every billed call counts its tokens and its cost', async () => {
  const registry = new Registry();
  const metrics = createTurnMetrics([registry]);

  metrics.modelAnswered(call(false));
  metrics.modelFailed(call(true));
  metrics.modelFailed(call(false));

  const lines = (await registry.metrics()).split('\n');
  for (const outcome of ['answered', 'failed', 'cancelled'])
    expect(lines).toContain(`reborn_model_call_duration_seconds_count{provider="p",model="m",outcome="${outcome}"} 1`);
  expect(lines).toContain('reborn_model_tokens_total{provider="p",model="m",type="input"} 21');
  expect(lines).toContain('reborn_model_cost_usd_total{provider="p",model="m"} 9');
});
