import type { ReplicaId, ThreadId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { callsJson, type ModelCall } from '#domain/spending.ts';
import type { SystemConnection } from './system-connection.ts';

/** A thread that this replica is to give a title. `tries` fences what it writes. */
export type TitleRequest = { readonly threadId: ThreadId; readonly userId: UserId; readonly tries: number };

/**
 * Claims requests whose thread is idle. After a crash they are due again two minutes later, up to the number of tries;
 * then they are deleted, as are requests of deleted threads.
 */
export async function claimTitleRequests(
  system: SystemConnection,
  { limit, tries }: { readonly limit: number; readonly tries: number },
): Promise<TitleRequest[]> {
  const { rows } = await system.query<TitleRequest>(CLAIM, [limit, tries]);
  return rows;
}

const CLAIM = `
  with due as (
    select request.thread_id, case when threads.id is null then $2::integer else request.tries end as tries
    from title_requests as request left join threads on threads.id = request.thread_id
    where due_at <= now() and threads.active is null
    order by due_at limit $1::integer for update of request skip locked
  ), over as (
    delete from title_requests using due where title_requests.thread_id = due.thread_id and due.tries >= $2::integer
  )
  update title_requests set tries = title_requests.tries + 1, due_at = now() + interval '2 minutes'
  from due where title_requests.thread_id = due.thread_id and due.tries < $2::integer
  returning title_requests.thread_id as "threadId", title_requests.user_id as "userId", title_requests.tries`;

/**
 * Ends a request: counts its model call, and sets the title unless a person has given one. Only for the replica that holds
 * the claim, so that a call is counted once. Returns whether it was.
 */
export async function endTitleRequest(
  system: SystemConnection,
  self: ReplicaId,
  { threadId, userId, tries }: TitleRequest,
  { title, call }: { readonly title: string | null; readonly call: ModelCall },
): Promise<boolean> {
  const { rows } = await system.query(END, [threadId, userId, tries, title, self, callsJson([call])]);
  return rows.length > 0;
}

const END = `
  with ended as (
    delete from title_requests where thread_id = $1::uuid and user_id = $2::text and tries = $3::smallint returning user_id
  ), titled as (
    update threads set generated_title = $4::text
    where id = $1::uuid and user_id = $2::text and $4::text is not null and title is null and generated_title is null
      and exists (select from ended)
  )
  select count_calls($5, array[user_id], array[$6::json]) from ended`;
