import type { FollowedThread } from '@reborn-agent/client/follow-thread';
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { sendMessage } from '../../client/send.ts';
import { createUnsent, type Unsent } from './unsent.ts';

/** The unsent messages of the thread on the page, with those that an earlier page has left. */
export function useUnsent(threadId: string, followed: FollowedThread, onRefused: (unsent: Unsent) => void) {
  const [unsent] = useState(() =>
    createUnsent({
      thread: threadId,
      storage: localStorage,
      shown: (turnId) => followed.turnKnown(turnId),
      send: ({ key, message, model, assistant, attachments = [], web, now }) =>
        sendMessage(
          {
            message,
            attachments,
            thread_id: threadId,
            ...(model !== undefined && { model }),
            ...(assistant !== undefined && { assistant }),
            ...(web === false && { web }),
            ...(now && { when_busy: 'now' }),
          },
          { idempotencyKey: key },
        ),
    }),
  );
  const refuse = useEffectEvent(onRefused);
  useEffect(() => unsent.resume((each) => refuse(each)), [unsent]);
  return { list: useSyncExternalStore(unsent.subscribe, unsent.list), send: unsent.add };
}
