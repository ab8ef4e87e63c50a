import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';

type Props<Point> = {
  readonly title: string;
  readonly points: readonly Point[];
  /** The field with the time, and how it is written below the axis. */
  readonly time: keyof Point & string;
  readonly formatTime: (time: string) => string;
  readonly value: keyof Point & string;
  readonly format: (value: number) => string;
  readonly line?: boolean;
  /** Pointing at a chart shows the same moment in all charts of its group. */
  readonly group: string;
};

/** A value over time, as bars or as a line. */
export function TimeChart<Point extends object>(props: Props<Point>) {
  const { title, points, time, formatTime, value, format, line = false, group } = props;
  const data = points.map((point) => ({ time: point[time], value: point[value] }));
  const Kind = line ? LineChart : BarChart;
  return (
    <figure className="min-w-0 overflow-hidden card p-4">
      <figcaption className="mb-2 font-medium">{title}</figcaption>
      <div className="h-36">
        <ResponsiveContainer width="100%" height="100%">
          <Kind data={data} syncId={group} margin={{ top: 4, right: 4, bottom: 0, left: 0 }} accessibilityLayer>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="time"
              tick={TICK}
              tickLine={false}
              axisLine={false}
              minTickGap={48}
              tickFormatter={formatTime}
            />
            <YAxis width={64} tick={TICK} tickLine={false} axisLine={false} tickCount={3} tickFormatter={format} />
            <Tooltip
              content={<Reading title={title} format={format} formatTime={formatTime} />}
              cursor={{ fill: 'var(--hover)', stroke: 'var(--edge)' }}
              isAnimationActive={false}
            />
            {line ? (
              <Line dataKey="value" stroke="var(--chart-1)" strokeWidth={2} dot={false} isAnimationActive={false} />
            ) : (
              <Bar dataKey="value" fill="var(--chart-1)" radius={[2, 2, 0, 0]} isAnimationActive={false} />
            )}
          </Kind>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}

const TICK = { fill: 'var(--ink-soft)', fontSize: 12 };

type ReadingProps = {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly formatTime: (time: string) => string;
  readonly active?: boolean;
  readonly label?: string;
  readonly payload?: readonly { readonly value?: number }[];
};

function Reading({ title, format, formatTime, active, label = '', payload }: ReadingProps) {
  const value = payload?.[0]?.value;
  if (!active || value === undefined) return null;
  return (
    <div className="popup px-3 py-2 text-meta">
      {formatTime(label)}: <span className="font-medium">{format(value)}</span>{' '}
      <span className="text-soft">{title.toLowerCase()}</span>
    </div>
  );
}
