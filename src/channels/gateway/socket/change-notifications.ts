import type { Jobs } from '#agent/jobs.ts';
import type { Threads } from '#agent/threads/threads.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import { CONNECT_AGAIN, type SocketConnection } from '#http/socket/socket-connection.ts';
import { renderListedJob } from '../jobs/job-routes.ts';
import { renderThread } from '../threads/thread-shape.ts';
import type { ServerMessage } from './socket-messages.ts';

type SocketServices = { readonly threads: Threads; readonly jobs: Jobs; readonly onError: (error: unknown) => void };

/** The most changes that wait for a slow reader. */
const MAX_WAITING = 1000;

/**
 * Sends a client each thread of its user that is new or has changed, in its state at the time of sending. A change is sent once, so if
 * one can't be read, or too many wait, the client has to connect again and list its threads.
 */
export function startNotifications(
  principal: Principal,
  connection: SocketConnection<ServerMessage>,
  services: SocketServices,
) {
  const changed = new Map<ThreadId, UserId>();
  let telling = false;

  const unfollow = services.threads.follow(principal, ({ threadId, userId }) => {
    changed.delete(threadId);
    changed.set(threadId, userId);
    if (changed.size > MAX_WAITING) connectAgain('Too many changes wait. Connect again.');
    else if (!telling) void tell().catch(fail);
  });

  async function tell(): Promise<void> {
    telling = true;
    try {
      for (const [threadId, userId] of changed) {
        if (connection.closed.aborted) return;
        changed.delete(threadId);
        await (userId === principal.userId ? tellThread(threadId) : tellJob(threadId, userId));
      }
    } finally {
      telling = false;
    }
  }

  function fail(error: unknown): void {
    services.onError(error);
    connectAgain('A change could not be read. Connect again.');
  }

  function connectAgain(reason: string): void {
    unfollow();
    changed.clear();
    connection.close(CONNECT_AGAIN, reason);
  }

  /** A thread of a subagent is in no list: the one at the top has changed with it. */
  async function tellThread(id: ThreadId): Promise<void> {
    const thread = await services.threads.find(principal, id);
    if (thread?.parentId) return tellThread(thread.parentId);
    await connection.send({ type: 'thread', thread_id: id, thread: thread ? renderThread(thread) : null });
  }

  async function tellJob(threadId: ThreadId, userId: UserId): Promise<void> {
    const job = await services.jobs.findJobOfThread(principal, threadId, userId);
    if (job) await connection.send({ type: 'job', job: renderListedJob(job) });
  }

  return { stop: unfollow };
}
