import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { InspectionView } from './inspection-view.tsx';

/** How a turn went, beside the thread. */
export function InspectorDrawer({ turnId, onClose }: { readonly turnId: string; readonly onClose: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['turn', turnId],
    queryFn: () => client.call('GET /api/turns/{id}', { params: { id: turnId } }),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 1000 : false),
    staleTime: 0,
  });
  return (
    <Dialog title={t`Inspector`} place="side" onClose={onClose}>
      <Link to="/turns/$turnId" params={{ turnId }} className="mb-4 inline-block text-meta text-soft link">
        <Trans>Open as a page</Trans>
      </Link>
      {error && <Problem error={error} />}
      {!data && !error && <Skeleton label={t`Loading the turn`} />}
      {data && <InspectionView turn={data} />}
    </Dialog>
  );
}
