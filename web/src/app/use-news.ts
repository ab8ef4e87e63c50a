import type { ServerMessage } from '@reborn-agent/client/api';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useServices } from './services.ts';

/** Updates the lists on the screen when the service reports a change. */
export function useNews(queries: QueryClient): void {
  const { socket } = useServices();
  useEffect(() => {
    const onNews = (message: ServerMessage) => {
      if (message.type === 'thread') {
        for (const key of ['threads', 'gates', ...(message.thread?.channel === 'mission' ? ['mission-results'] : [])])
          void queries.invalidateQueries({ queryKey: [key] });
        if (message.thread) queries.setQueryData(['thread', message.thread_id], message.thread);
      }
      if (message.type === 'job') void queries.invalidateQueries({ queryKey: ['jobs'] });
    };
    return socket.onMessage(onNews);
  }, [socket, queries]);

  // Reload what may have changed while the connection was down.
  useEffect(
    () =>
      socket.onConnection(() => {
        const { state } = socket.connection();
        if (state === 'live') void queries.invalidateQueries({ queryKey: ['threads'] });
        // It may have been closed because the session is over.
        if (state === 'reconnecting') void queries.invalidateQueries({ queryKey: ['me'] });
      }),
    [socket, queries],
  );
}
