import { expect, test } from 'vitest';
import { sumDays, totalOf } from './sum-usage.ts';

const row = (day: string, calls: number, latency: number) => ({
  day,
  user_id: 'operator',
  provider: 'p',
  model: 'm',
  calls,
  errors: 1,
  input_tokens: 100,
  cached_tokens: 0,
  output_tokens: 10,
  cost_usd: '0.50',
  unpriced_calls: 0,
  latency_ms: latency,
});

test('the average time of a call is weighted by how many calls there were', () => {
  const total = totalOf([row('2026-03-01', 1, 1000), row('2026-03-02', 3, 2000)]);
  expect(total).toMatchObject({ calls: 4, errors: 2, tokens: 220, cost: 1, latencyMs: 1750 });
});

test('a day without usage is included', () => {
  const days = sumDays([row('2026-03-02', 2, 500)], 3, new Date('2026-03-03T10:00:00Z'));
  expect(days.map(({ day, calls }) => [day, calls])).toEqual([
    ['2026-03-01', 0],
    ['2026-03-02', 2],
    ['2026-03-03', 0],
  ]);
});
