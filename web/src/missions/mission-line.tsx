import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { client } from '../client/client.ts';
import { Icon } from '../parts/icon.tsx';
import { useMarkRead, useNewResults } from './use-results.ts';

/** Above a thread of runs: the way back to its mission. While it is open, its results count as read. */
export function MissionLine({ threadId }: { readonly threadId: string }) {
  const { data } = useQuery({
    queryKey: ['missions', 'of', threadId],
    queryFn: () => client.call('GET /api/missions', { query: { thread_id: threadId } }),
  });
  const { data: news } = useNewResults();
  const { mutate: markRead } = useMarkRead();
  useEffect(() => {
    // Also those that come while the thread is open.
    if (news?.unread !== undefined && document.visibilityState === 'visible') markRead({ thread_id: threadId });
  }, [threadId, news?.unread, markRead]);

  const mission = data?.missions[0];
  if (!mission) return null;
  const { id, name } = mission;
  return (
    <p className="column pb-2 text-meta">
      <Link to="/missions/all" hash={id} className="inline-flex items-center gap-2 text-soft hover:text-ink">
        <Icon name="clock" />
        <Trans>
          To the mission <span className="link">{name}</span>
        </Trans>
      </Link>
    </p>
  );
}
