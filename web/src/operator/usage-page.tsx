import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { UsageReport } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { formatBytes, formatCost, formatNumber, formatTokens } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Figure, Figures } from '../parts/figures.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { OwnUsage } from './own-usage.tsx';
import { sumDays, totalOf } from './sum-usage.ts';
import { UsageTable } from './usage-table.tsx';

const UsageCharts = lazyPart(() => import('./usage-charts.tsx').then((module) => module.UsageCharts));

/** Members see their own, against their limit. */
export function UsagePage() {
  const { me } = useServices();
  return me.role === 'operator' ? <UsageOfAll /> : <UsageOfOne />;
}

/** A month has 31 days at most. */
const MONTH = 31;

function UsageOfOne() {
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', MONTH],
    queryFn: () => client.call('GET /api/usage', { query: { days: MONTH } }),
  });
  return (
    <Page title={t`Usage`} about={t`What the models that answer you have used.`}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label={t`Loading usage`} rows={4} />}
      {data && <OwnUsage report={data} now={new Date()} />}
      {data && <Storage report={data} />}
    </Page>
  );
}

/** What models were asked, how long they took, and what it cost. */
function UsageOfAll() {
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
          <UsageTable report={data} />
        </>
      )}
      {data && <Storage report={data} />}
    </Page>
  );
}

function Storage({ report: { storage } }: { readonly report: UsageReport }) {
  return (
    <p className="text-meta text-soft">
      {t`Your files use ${formatBytes(storage.bytes)} of ${formatBytes(storage.limit_bytes)}.`}
    </p>
  );
}

const periods = () =>
  [
    { value: '7', words: t`7 days` },
    { value: '30', words: t`30 days` },
    { value: '90', words: t`90 days` },
  ] as const;
