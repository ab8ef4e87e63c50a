import { formatCost, formatTokens } from '@reborn-agent/client/format';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { client } from '../client/client.ts';
import { formatDuration } from '../format/time.ts';
import { Cost } from '../parts/cost.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { sumDays, totalOf } from './sum-usage.ts';

const UsageCharts = lazy(() => import('./usage-charts.tsx').then((module) => ({ default: module.UsageCharts })));

/** What models were asked, how long they took, and what it cost. */
export function UsagePage() {
  const [days, setDays] = useState<'7' | '30' | '90'>('30');
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', days],
    queryFn: () => client.call('GET /api/usage', { query: { days: Number(days) } }),
  });
  const total = data && totalOf(data.usage);
  return (
    <Page
      title="Usage"
      about="Every call of a model, by day. Days are those of UTC."
      actions={<ChoiceField label="Period" choices={PERIODS} value={days} onChoose={setDays} />}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label="Loading usage" rows={8} />}
      {data && total && total.calls === 0 && (
        <EmptyState icon="chart" title="Nothing was asked">
          Every call of a model will show here, with its tokens, price and time.
        </EmptyState>
      )}
      {data && total && total.calls > 0 && (
        <>
          <Figures>
            <Figure name="Cost" value={formatCost(total.cost)} />
            <Figure name="Tokens" value={formatTokens(total.tokens)} />
            <Figure name="Average call" value={formatDuration(total.latencyMs)} />
            <Figure name="Errors" value={`${total.errors} of ${total.calls.toLocaleString('en')}`} />
          </Figures>
          {total.unpriced > 0 && (
            <p className="text-s text-soft">Excludes {total.unpriced} calls with unknown price.</p>
          )}
          <Suspense fallback={<Skeleton label="Loading charts" rows={8} />}>
            <UsageCharts days={sumDays(data.usage, Number(days), new Date())} />
          </Suspense>
          <ByModel usage={data.usage} />
        </>
      )}
    </Page>
  );
}

const PERIODS = [
  { value: '7', words: '7 days' },
  { value: '30', words: '30 days' },
  { value: '90', words: '90 days' },
] as const;

function ByModel({ usage }: { readonly usage: Parameters<typeof totalOf>[0] }) {
  const models = Map.groupBy(usage, ({ model }) => model);
  return (
    <section className="overflow-x-auto" tabIndex={0} aria-label="By model">
      <table className="w-full text-left">
        <thead className="text-s text-soft">
          <tr className="border-b border-line">
            {['Model', 'Calls', 'Errors', 'Tokens', 'Average', 'Cost'].map((name, index) => (
              <th key={name} scope="col" className={`py-2 pr-4 font-normal ${index > 0 ? 'text-right' : ''}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {[...models].map(([model, days]) => {
            const total = totalOf(days);
            return (
              <tr key={model} className="border-b border-line">
                <th scope="row" className="py-2 pr-4 font-medium">
                  {model}
                </th>
                <td className="pr-4 text-right">{total.calls}</td>
                <td className="pr-4 text-right">{total.errors}</td>
                <td className="pr-4 text-right">{formatTokens(total.tokens)}</td>
                <td className="pr-4 text-right">{formatDuration(total.latencyMs)}</td>
                <td className="pr-4 text-right">
                  <Cost usd={total.unpriced === total.calls ? null : total.cost} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
