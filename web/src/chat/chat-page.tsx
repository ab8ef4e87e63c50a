import { useParams } from '@tanstack/react-router';
import { NewThread } from './new-thread.tsx';
import { ThreadView } from './thread-view.tsx';

/** A thread, or the beginning of one. */
export function ChatPage() {
  const { threadId } = useParams({ strict: false });
  return threadId === undefined ? <NewThread /> : <ThreadView key={threadId} threadId={threadId} />;
}
