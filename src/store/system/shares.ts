import type { ThreadId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** The thread behind a link, for a visitor who is not signed in. */
export async function findSharedThread(
  system: SystemConnection,
  hash: Buffer,
): Promise<{ threadId: ThreadId; userId: UserId } | undefined> {
  const { rows } = await system.query<{ threadId: ThreadId; userId: UserId }>(
    'select thread_id as "threadId", user_id as "userId" from shares where hash = $1',
    [hash],
  );
  return rows[0];
}
