import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';

const METHODS = { token: 'with a token', code: 'with a link', oidc: 'with single sign-on' } as const;

/** The browsers that are signed in as this person. */
export function Sessions() {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['sessions'],
    queryFn: () => client.call('GET /api/users/{id}/sessions', { params: { id: 'me' } }),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.call('DELETE /api/sessions/{id}', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <>
      {error && <Problem error={error} />}
      {revoke.error && <Problem error={revoke.error} />}
      <ul aria-label="Signed-in browsers" className="divide-y divide-line">
        {data?.sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-3 py-2">
            <span className="min-w-0 flex-1 basis-48">
              <span className="block">Signed in {METHODS[session.method]}</span>
              <span className="text-s text-soft">
                since <RelativeTime time={session.created_at} />, last seen <RelativeTime time={session.last_seen_at} />
              </span>
            </span>
            <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate(session.id)}>
              Sign out
            </Button>
          </li>
        ))}
        {data?.sessions.length === 0 && <li className="text-soft">None.</li>}
      </ul>
    </>
  );
}
