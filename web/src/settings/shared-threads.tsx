import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

/** The threads that others can read by a link. */
export function SharedThreads() {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: ['shares'], queryFn: () => client.call('GET /api/shares') });
  const remove = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/threads/{id}/share', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['shares'] }),
  });
  const problem = error ?? remove.error;
  return (
    <>
      {problem && <Problem error={problem} />}
      <ul aria-label={t`Shared threads`} className="divide-y divide-line">
        {data?.shares.map((share) => (
          <li key={share.thread_id} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48">
              <Link to="/threads/$threadId" params={{ threadId: share.thread_id }} className="block truncate link">
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
          </li>
        ))}
        {data?.shares.length === 0 && (
          <li className="text-soft">
            <Trans>None. Share a thread from its menu.</Trans>
          </li>
        )}
      </ul>
    </>
  );
}
