import type { TurnIds } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/**
 * Turns that their callers want deleted, and whose reply was not delivered within an hour of their end. Approvals and the
 * like can be answered for a day, and so can the calls that callers of chat completions run.
 */
export async function findUndelivered(system: SystemConnection): Promise<(TurnIds & { userId: UserId })[]> {
  const { rows } = await system.query<TurnIds & { userId: UserId }>(
    `select turns.id as "turnId", turns.thread_id as "threadId", turns.user_id as "userId"
     from unstored_turns join turns on turns.id = unstored_turns.turn_id
     where ended_at < now() - interval '1 hour'
       and (ended_at < now() - interval '1 day' or status <> 'waiting' or (channel <> 'chat-completions'
         and not exists (select from gates where gates.turn_id = turns.id and answered_at is null and kind <> 'external-tool')))
     limit 1000`,
  );
  return rows;
}
