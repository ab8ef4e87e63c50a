import { formatCost, formatTokens } from '@reborn-agent/client/format';
import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatDuration } from '../format/time.ts';
import type { UsageDay } from './sum-usage.ts';

/** Cost, tokens and latency above one time axis; pointing at a day reads all three. */
export function UsageCharts({ days }: { readonly days: readonly UsageDay[] }) {
  return (
    <div className="flex flex-col gap-4">
      <Chart title="Cost" days={days} value="cost" format={(value) => formatCost(value)} />
      <Chart title="Tokens" days={days} value="tokens" format={formatTokens} />
      <Chart title="Latency" days={days} value="latencyMs" format={formatDuration} line />
    </div>
  );
}

type ChartProps = {
  readonly title: string;
  readonly days: readonly UsageDay[];
  readonly value: 'cost' | 'tokens' | 'latencyMs';
  readonly format: (value: number) => string;
  readonly line?: boolean;
};

function Chart({ title, days, value, format, line = false }: ChartProps) {
  const Kind = line ? LineChart : BarChart;
  return (
    <figure className="rounded border border-line bg-raised p-4">
      <figcaption className="mb-2 text-s font-medium">{title}</figcaption>
      <div className="h-36">
        <ResponsiveContainer width="100%" height="100%">
          <Kind data={[...days]} syncId="usage" margin={{ top: 4, right: 4, bottom: 0, left: 0 }} accessibilityLayer>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="day"
              tick={TICK}
              tickLine={false}
              axisLine={false}
              minTickGap={48}
              tickFormatter={(day: string) => day.slice(5)}
            />
            <YAxis width={64} tick={TICK} tickLine={false} axisLine={false} tickCount={3} tickFormatter={format} />
            <Tooltip
              content={<Reading title={title} format={format} />}
              cursor={{ fill: 'var(--hover)', stroke: 'var(--edge)' }}
              isAnimationActive={false}
            />
            {line ? (
              <Line dataKey={value} stroke="var(--running)" strokeWidth={2} dot={false} isAnimationActive={false} />
            ) : (
              <Bar dataKey={value} fill="var(--running)" radius={[2, 2, 0, 0]} isAnimationActive={false} />
            )}
          </Kind>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}

const TICK = { fill: 'var(--ink-soft)', fontSize: 13 };

type ReadingProps = {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly active?: boolean;
  readonly label?: string;
  readonly payload?: readonly { readonly value?: number }[];
};

function Reading({ title, format, active, label, payload }: ReadingProps) {
  const value = payload?.[0]?.value;
  if (!active || value === undefined) return null;
  return (
    <div className="rounded border border-line bg-raised px-3 py-2 text-s shadow-float">
      {label}: <span className="font-medium">{format(value)}</span>{' '}
      <span className="text-soft">{title.toLowerCase()}</span>
    </div>
  );
}
