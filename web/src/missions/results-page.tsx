import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { MissionTabs } from './mission-tabs.tsx';
import { ResultRow } from './result-row.tsx';
import { useMarkRead } from './use-results.ts';

const REFRESH_MS = 5000;

/** What the runs of missions have ended with, newest first. */
export function ResultsPage() {
  const { mutate: markRead, isPending } = useMarkRead();
  const pages = useInfiniteQuery({
    queryKey: ['mission-results', 'all'],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/mission-results', { query: { limit: 50, cursor: pageParam || undefined } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
  const { data, error, refetch } = pages;
  return (
    <Page
      title={t`Missions`}
      about={t`What your missions have found.`}
      actions={
        (data?.pages[0]?.unread ?? 0) > 0 && (
          <Button icon="check" disabled={isPending} onClick={() => markRead({})}>
            <Trans>Mark all as read</Trans>
          </Button>
        )
      }
    >
      <MissionTabs />
      <Listed
        rows={data?.pages.flatMap((page) => page.results)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading results`}
        empty={
          <EmptyState icon="clock" title={t`No results yet`}>
            <Trans>When a mission has run, its answer appears here.</Trans>
          </EmptyState>
        }
      >
        {(results) => (
          <>
            <ul aria-label={t`Results`} className="card divide-y divide-line overflow-hidden">
              {results.map((result) => (
                <ResultRow key={result.mission_id + result.slot} result={result} hasCost />
              ))}
            </ul>
            <ShowMore pages={pages} />
          </>
        )}
      </Listed>
    </Page>
  );
}
