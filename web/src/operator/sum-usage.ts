import type { UsageReport } from '@reborn-agent/client/api';

type DayUsage = UsageReport['usage'][number];

export type UsageTotal = {
  readonly calls: number;
  readonly errors: number;
  readonly tokens: number;
  readonly cost: number;
  readonly unpriced: number;
  readonly latencyMs: number;
};

export type UsageDay = UsageTotal & { readonly day: string };

/** All of them together; the time of a call is the average over the calls. */
export function totalOf(usage: readonly DayUsage[]): UsageTotal {
  const sum = (value: (row: DayUsage) => number) => usage.reduce((total, row) => total + value(row), 0);
  const calls = sum((row) => row.calls);
  return {
    calls,
    errors: sum((row) => row.errors),
    tokens: sum((row) => row.input_tokens + row.output_tokens),
    cost: sum((row) => Number(row.cost_usd)),
    unpriced: sum((row) => row.unpriced_calls),
    latencyMs: calls === 0 ? 0 : sum((row) => row.latency_ms * row.calls) / calls,
  };
}

/** One entry for each day up to today, also for days without usage. */
export function sumDays(usage: readonly DayUsage[], days: number, today: Date): UsageDay[] {
  const byDay = Map.groupBy(usage, ({ day }) => day);
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(today.getTime() - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { day, ...totalOf(byDay.get(day) ?? []) };
  });
}
