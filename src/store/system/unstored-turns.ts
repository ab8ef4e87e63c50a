import type { TurnIds } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/**
 * Turns that their callers want deleted, and that were not deleted within an hour of their end. While their thread waits for
 * an answer they are kept, for a day at most.
 */
export async function findUndelivered(system: SystemConnection): Promise<(TurnIds & { userId: UserId })[]> {
  const { rows } = await system.query<TurnIds & { userId: UserId }>(
    `select turns.id as "turnId", turns.thread_id as "threadId", turns.user_id as "userId"
     from unstored_turns join turns on turns.id = unstored_turns.turn_id
     where ended_at < now() - interval '1 hour'
       and (ended_at < now() - interval '1 day' or not exists (
         select from gates where gates.thread_id = turns.thread_id and answered_at is null))
     limit 1000`,
  );
  return rows;
}
