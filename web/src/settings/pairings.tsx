import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The webhook users that may use the secrets of a user. Without any, nothing is shown. */
export function Pairings({ userId }: { readonly userId: string }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['pairings'], queryFn: () => client.call('GET /api/pairings') });
  const end = useMutation({
    mutationFn: (webhookUser: string) =>
      client.call('DELETE /api/pairings/{user_id}', { params: { user_id: webhookUser } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['pairings'] }),
  });
  const problem = error ?? end.error;
  const paired = data?.pairings.filter((pairing) => pairing.paired_user_id === userId) ?? [];
  if (!problem && paired.length === 0) return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold">
        <Trans>Paired webhook users</Trans>
      </h3>
      <p className="text-meta text-soft">
        <Trans>Their calls use the secrets of this account.</Trans>
      </p>
      {problem && <Problem error={problem} />}
      <ul aria-label={t`Paired webhook users`} className="divide-y divide-line">
        {paired.map(({ user_id: webhookUser, created_at: since }) => (
          <li key={webhookUser} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48 break-words">
              <span className="font-medium">{webhookUser}</span>{' '}
              <span className="text-meta text-soft">
                <RelativeTime time={since} />
              </span>
            </span>
            <Button
              look="quiet"
              aria-label={t`End the pairing of ${webhookUser}`}
              disabled={end.isPending}
              onClick={() => end.mutate(webhookUser)}
            >
              <Trans>End</Trans>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
