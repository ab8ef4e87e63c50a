import type { ReplicaId, ThreadId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { SystemConnection } from './system-connection.ts';

/** A thread that this replica is to give a title. `tries` fences what it writes. */
export type TitleRequest = { readonly threadId: ThreadId; readonly userId: UserId; readonly tries: number };

/**
 * Claims requests whose thread is idle. After a crash they are due again two minutes later, up to the number of tries;
 * then they are deleted, as are those of deleted threads.
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
  const { provider, model, usage, milliseconds, failed } = call;
  const { rows } = await system.query(END, [
    threadId,
    userId,
    tries,
    title,
    provider,
    model,
    self,
    usage.inputTokens,
    usage.cachedInputTokens,
    usage.outputTokens,
    usage.cost && usage.cost.inputUsd + usage.cost.outputUsd,
    Math.round(milliseconds),
    failed,
  ]);
  return rows.length > 0;
}

const END = `
  with ended as (
    delete from title_requests where thread_id = $1::uuid and user_id = $2::text and tries = $3::smallint returning user_id
  ), titled as (
    update threads set generated_title = $4::text
    where id = $1::uuid and user_id = $2::text and $4::text is not null and title is null and generated_title is null
      and exists (select from ended)
  ), counted as (
    insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
      input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
    select user_id, (now() at time zone 'utc')::date, $5::text, $6::text, get_byte(uuid_send($7::uuid), 15) % 8, 1,
      $13::boolean::integer, ($11::float8 is null)::integer, $8::bigint, $9::bigint, $10::bigint, coalesce($11::float8, 0),
      $12::bigint
    from ended
    on conflict (user_id, day, provider, model, part) do update set
      calls = present.calls + 1, errors = present.errors + excluded.errors,
      unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
      input_tokens = present.input_tokens + excluded.input_tokens,
      cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = present.output_tokens + excluded.output_tokens,
      cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds
  )
  select user_id from ended`;
