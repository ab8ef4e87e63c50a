import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ApprovalList } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The calls for which the person has chosen “Always…”. */
export function StandingApprovals() {
  const { me } = useServices();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['approvals'],
    queryFn: () => client.call('GET /api/approvals'),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/approvals/{id}', { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const own = data?.approvals.filter((approval) => approval.user_id === me.user_id);
  return (
    <>
      {revoke.error && <Problem error={revoke.error} />}
      <Listed
        rows={own}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading approvals`}
        empty={
          <EmptyState icon="shield" title={t`No standing approvals`}>
            <Trans>“Always…” on a card that asks you makes one. Until then, every such call waits for you.</Trans>
          </EmptyState>
        }
      >
        {(approvals) => (
          <Listing label={t`Standing approvals`} rows={approvals} keyOf={({ id }) => id}>
            {({ id, tool, shape, created_at: since, ...limits }) => (
              <>
                <span className="min-w-0 flex-1 basis-48">
                  <span className="exact font-medium">{tool}</span>{' '}
                  <span className="text-meta text-soft">
                    <RelativeTime time={since} />
                  </span>
                  {reachOf(limits).map((words) => (
                    <span key={words} className="block break-words text-meta text-soft">
                      {words}
                    </span>
                  ))}
                  {shape.map((line) => (
                    <span key={line} className="block break-words font-mono text-meta text-soft">
                      {line}
                    </span>
                  ))}
                </span>
                <Button
                  look="quiet"
                  aria-label={t`Revoke the approval of ${tool}`}
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(id)}
                >
                  <Trans>Revoke</Trans>
                </Button>
              </>
            )}
          </Listing>
        )}
      </Listed>
    </>
  );
}

type Limits = Pick<ApprovalList['approvals'][number], 'situation' | 'mission_id' | 'mission_name'>;

/** How far an approval goes, and to what it is limited. */
function reachOf({ situation, mission_id: missionId, mission_name: name }: Limits): string[] {
  const reach = {
    clean: [],
    foreign: [t`also after reading text by others`],
    both: [t`also after reading text by others and private data`],
  }[situation];
  if (missionId === null) return reach;
  return [...reach, name === null ? t`only for a mission that is gone` : t`only for the mission “${name}”`];
}
