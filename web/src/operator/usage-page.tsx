import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { client } from '../client/client.ts';
import { formatBytes, formatCost, formatNumber, formatTokens } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { Cost } from '../parts/cost.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { sumDays, totalOf } from './sum-usage.ts';

const UsageCharts = lazyPart(() => import('./usage-charts.tsx').then((module) => module.UsageCharts));

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
      title={t`Usage`}
      about={t`Every call of a model, by day. Days are those of UTC.`}
      actions={<ChoiceField label={t`Period`} choices={periods()} value={days} onChoose={setDays} />}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label={t`Loading usage`} rows={8} />}
      {data && total && total.calls === 0 && (
        <EmptyState icon="chart" title={t`Nothing was asked`}>
          <Trans>Every call of a model will show here, with its tokens, price and time.</Trans>
        </EmptyState>
      )}
      {data && total && total.calls > 0 && (
        <>
          <Figures>
            <Figure name={t`Cost`} value={formatCost(total.cost)} />
            <Figure name={t`Tokens`} value={formatTokens(total.tokens)} />
            <Figure name={t`Average call`} value={formatDuration(total.latencyMs)} />
            <Figure name={t`Errors`} value={t`${total.errors} of ${formatNumber(total.calls)}`} />
          </Figures>
          {total.unpriced > 0 && (
            <p className="text-meta text-soft">
              {plural(total.unpriced, {
                one: 'Excludes # call with unknown price.',
                other: 'Excludes # calls with unknown price.',
              })}
            </p>
          )}
          <Suspense fallback={<Skeleton label={t`Loading charts`} rows={8} />}>
            <UsageCharts days={sumDays(data.usage, Number(days), new Date())} />
          </Suspense>
          <ByModel usage={data.usage} />
        </>
      )}
      {data && (
        <p className="text-meta text-soft">
          {t`Your files use ${formatBytes(data.storage.bytes)} of ${formatBytes(data.storage.limit_bytes)}.`}
        </p>
      )}
    </Page>
  );
}

const periods = () =>
  [
    { value: '7', words: t`7 days` },
    { value: '30', words: t`30 days` },
    { value: '90', words: t`90 days` },
  ] as const;

function ByModel({ usage }: { readonly usage: Parameters<typeof totalOf>[0] }) {
  const models = Map.groupBy(usage, ({ model }) => model);
  return (
    <section className="relative overflow-x-auto" tabIndex={0} aria-label={t`By model`}>
      <table className="w-full text-start">
        <thead className="text-label text-soft">
          <tr className="border-b border-line">
            {[t`Model`, t`Calls`, t`Errors`, t`Tokens`, t`Average`, t`Cost`].map((name, index) => (
              <th key={name} scope="col" className={`py-2 pe-4 font-medium ${index > 0 ? 'text-end' : ''}`}>
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
                <th scope="row" className="py-2 pe-4 font-medium">
                  {model}
                </th>
                <td className="pe-4 text-end">{total.calls}</td>
                <td className="pe-4 text-end">{total.errors}</td>
                <td className="pe-4 text-end">{formatTokens(total.tokens)}</td>
                <td className="pe-4 text-end">{formatDuration(total.latencyMs)}</td>
                <td className="pe-4 text-end">
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
