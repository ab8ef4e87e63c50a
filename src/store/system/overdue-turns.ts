import type { TurnIds } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** Turns that are still queued at their deadline, or wait for their children. A running one is ended by its attempt. */
export async function findOverdueTurns(system: SystemConnection): Promise<(TurnIds & { userId: UserId })[]> {
  const { rows } = await system.query<TurnIds & { userId: UserId }>(OVERDUE);
  return rows;
}

// `timeoutMs` is the first field of a request: as text, because PostgreSQL can't look inside JSON that has null characters.
const OVERDUE = `
  select id as "turnId", thread_id as "threadId", user_id as "userId" from turns
  where (status = 'queued' or status = 'running' and ready_at = 'infinity' and tree is not null) and cancel_reason is null
    and created_at + make_interval(secs => substring(request::text from '^\\{"timeoutMs":(\\d+)')::float8 / 1000) < now()
  order by created_at limit 1000`;
