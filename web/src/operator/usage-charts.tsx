import { formatCost, formatTokens } from '@reborn-agent/client/format';
import { formatDuration } from '../format/time.ts';
import { TimeChart } from '../parts/time-chart.tsx';
import type { UsageDay } from './sum-usage.ts';

/** Cost, tokens and latency above one time axis; pointing at a day reads all three. */
export function UsageCharts({ days }: { readonly days: readonly UsageDay[] }) {
  const common = { points: days, time: 'day', formatTime: (day: string) => day.slice(5), group: 'usage' } as const;
  return (
    <div className="flex flex-col gap-4">
      <TimeChart {...common} title="Cost" value="cost" format={(value) => formatCost(value)} />
      <TimeChart {...common} title="Tokens" value="tokens" format={formatTokens} />
      <TimeChart {...common} title="Latency" value="latencyMs" format={formatDuration} line />
    </div>
  );
}
