import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

const methods = () => ({ token: t`with a token`, code: t`with a link`, oidc: t`with single sign-on` }) as const;

/** The browsers that are signed in as a person. */
export function Sessions({ userId = 'me' }: { readonly userId?: string }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['sessions', userId],
    queryFn: () => client.call('GET /api/users/{id}/sessions', { params: { id: userId } }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/sessions/{id}', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <>
      {error && <Problem error={error} />}
      {revoke.error && <Problem error={revoke.error} />}
      {data?.sessions.length === 0 && (
        <p className="text-soft">
          <Trans>No browser is signed in.</Trans>
        </p>
      )}
      <Listing label={t`Signed-in browsers`} rows={data?.sessions ?? []} keyOf={({ id }) => id}>
        {(session) => (
          <>
            <span className="min-w-0 flex-1 basis-48">
              <span className="block">
                <Trans>Signed in {methods()[session.method]}</Trans>
              </span>
              <span className="text-meta text-soft">
                <Trans>
                  begun <RelativeTime time={session.created_at} />, last seen{' '}
                  <RelativeTime time={session.last_seen_at} />
                </Trans>
              </span>
            </span>
            <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate(session.id)}>
              <Trans>Sign out</Trans>
            </Button>
          </>
        )}
      </Listing>
    </>
  );
}
