import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/section.tsx';

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
    <Section title={t`Paired webhook users`}>
      <p className="text-meta text-soft">
        <Trans>Their calls use the secrets of this account.</Trans>
      </p>
      {problem && <Problem error={problem} />}
      <Listing label={t`Paired webhook users`} rows={paired} keyOf={({ user_id: id }) => id}>
        {({ user_id: webhookUser, created_at: since }) => (
          <>
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
          </>
        )}
      </Listing>
    </Section>
  );
}
