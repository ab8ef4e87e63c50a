import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { Listed } from '../parts/listed.tsx';
import { Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { nameOfUser } from './audit-words.ts';

/** What people think of answers, which stay with their owners. */
export function RatingsPage() {
  const query = useInfiniteQuery({
    queryKey: ['all-ratings'],
    queryFn: ({ pageParam }) => client.call('GET /api/ratings', { query: { limit: 50, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error, refetch } = query;
  const rows = data?.pages.flatMap(({ ratings, names }) =>
    ratings.map((rating) => ({ ...rating, name: nameOfUser(rating.user_id, names) })),
  );
  return (
    <Page title={t`Ratings`} about={t`Good and bad answers, with the reasons. The answers stay with their owners.`}>
      <Listed
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading ratings`}
        empty={
          <EmptyState icon="good" title={t`No ratings yet`}>
            <Trans>Good and Bad under an answer will show here.</Trans>
          </EmptyState>
        }
      >
        {(found) => (
          <Listing label={t`Ratings`} rows={found} keyOf={(row) => row.turn_id}>
            {(row) => (
              <>
                <Icon name={row.rating} className={row.rating === 'bad' ? 'text-failed' : 'text-done'} />
                <span className="min-w-0 flex-1 basis-48">
                  <span className="block break-words font-medium">
                    {row.rating === 'bad' ? t`Bad answer` : t`Good answer`}
                    {row.reason && <q className="ms-2 font-normal">{row.reason}</q>}
                  </span>
                  <span className="block truncate text-meta text-soft">{row.title ?? t`A thread without a title`}</span>
                </span>
                <span className="text-meta text-soft">{row.model}</span>
                <span className="max-w-40 truncate text-meta text-soft" title={row.user_id}>
                  {row.name}
                </span>
                <span className="text-meta text-soft">
                  <RelativeTime time={row.updated_at} />
                </span>
              </>
            )}
          </Listing>
        )}
      </Listed>
      <ShowMore pages={query} />
    </Page>
  );
}
