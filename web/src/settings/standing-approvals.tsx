import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The calls for which the person has chosen “Always for this”. */
export function StandingApprovals() {
  const { me } = useServices();
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['approvals'], queryFn: () => client.call('GET /api/approvals') });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/approvals/{id}', { params: { id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['approvals'] }),
  });
  const problem = error ?? revoke.error;
  const own = data?.approvals.filter((approval) => approval.user_id === me.user_id);
  return (
    <>
      <p className="text-s text-soft">
        <Trans>Calls like these run without a question, because you have chosen “Always for this”.</Trans>
      </p>
      {problem && <Problem error={problem} />}
      <ul aria-label={t`Standing approvals`} className="divide-y divide-line">
        {own?.map(({ id, tool, shape, situation, mission_id: missionId, created_at: since }) => (
          <li key={id} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48">
              <span className="font-medium">{tool}</span>{' '}
              <span className="text-s text-soft">
                <RelativeTime time={since} />
              </span>
              {situation !== 'clean' && (
                <span className="block text-s text-soft">
                  <Trans>Also after reading text by others</Trans>
                </span>
              )}
              {missionId !== null && (
                <span className="block text-s text-soft">
                  <Trans>Only in runs of one mission</Trans>
                </span>
              )}
              {shape.map((line) => (
                <span key={line} className="block break-words font-mono text-s text-soft">
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
          </li>
        ))}
        {own?.length === 0 && (
          <li className="text-soft">
            <Trans>None.</Trans>
          </li>
        )}
      </ul>
    </>
  );
}
