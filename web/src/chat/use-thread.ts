import { type FollowedThread, followThread } from '@reborn-agent/client/follow-thread';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';

/** The thread that is shown. It is followed while the page is open. */
export function useFollowedThread(threadId: string): FollowedThread {
  const { socket } = useServices();
  const [followed] = useState(() => followThread({ client, socket, threadId }));
  useEffect(() => {
    void followed.open();
    return () => followed.close();
  }, [followed]);
  return followed;
}

export const useSnapshot = (followed: FollowedThread) => useSyncExternalStore(followed.subscribe, followed.snapshot);
