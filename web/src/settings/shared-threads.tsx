import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The threads that others can read by a link. */
export function SharedThreads() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: ['shares'], queryFn: () => client.call('GET /api/shares') });
  const remove = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/threads/{id}/share', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['shares'] }),
  });
  return (
    <>
      {remove.error && <Problem error={remove.error} />}
      <Listed
        rows={data?.shares}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading shared threads`}
        empty={
          <EmptyState icon="export" title={t`No shared threads`}>
            <Trans>Share a thread from its menu. Its link then opens without signing in.</Trans>
          </EmptyState>
        }
      >
        {(shares) => (
          <Listing label={t`Shared threads`} rows={shares} keyOf={({ thread_id: id }) => id}>
            {(share) => (
              <>
                <span className="min-w-0 flex-1 basis-48">
                  <Link
                    to="/threads/$threadId"
                    params={{ threadId: share.thread_id }}
                    className="block truncate font-medium hover:underline"
                  >
                    {share.title || t`Untitled`}
                  </Link>
                  <span className="text-meta text-soft">
                    <Trans>
                      last shared <RelativeTime time={share.updated_at} />
                    </Trans>
                    {share.include_tools && <>, {t`with calls of tools`}</>}
                    {share.include_attachments && <>, {t`with images and files`}</>}
                  </span>
                </span>
                <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate(share.thread_id)}>
                  <Trans>Stop sharing</Trans>
                </Button>
              </>
            )}
          </Listing>
        )}
      </Listed>
    </>
  );
}
