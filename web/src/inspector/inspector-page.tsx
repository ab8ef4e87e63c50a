import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { InspectionView } from './inspection-view.tsx';

export function InspectorPage() {
  const { turnId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ['turn', turnId],
    queryFn: () => client.call('GET /api/turns/{id}', { params: { id: turnId } }),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 1000 : false),
  });
  return (
    <Page
      title={t`Inspector`}
      about={t`How one turn went: every model call, tool call, gate and attempt, to scale.`}
      actions={
        data && (
          <Link to="/threads/$threadId" params={{ threadId: data.thread_id }} className="link">
            <Trans>Go to its thread</Trans>
          </Link>
        )
      }
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton label={t`Loading the turn`} rows={8} />}
      {data && <InspectionView turn={data} />}
    </Page>
  );
}
