import { t } from '@lingui/core/macro';
import { formatCost, formatTokens } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { TimeChart } from '../parts/time-chart.tsx';
import type { UsageDay } from './sum-usage.ts';

/** Cost, tokens and latency above one time axis; pointing at a day reads all three. */
export function UsageCharts({ days }: { readonly days: readonly UsageDay[] }) {
  const common = { points: days, time: 'day', formatTime: (day: string) => day.slice(5), group: 'usage' } as const;
  return (
    <div className="flex flex-col gap-4">
      <TimeChart {...common} title={t`Cost`} value="cost" format={(value) => formatCost(value)} />
      <TimeChart {...common} title={t`Tokens`} value="tokens" format={formatTokens} />
      <TimeChart {...common} title={t`Latency`} value="latencyMs" format={formatDuration} line />
    </div>
  );
}
