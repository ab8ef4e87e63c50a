-- Looks at `most` threads after the given one, and deletes those that expired, up to about `most_bytes`. A thread
-- expires a number of days after its last change, but never while a turn of it is unfinished, a gate is open, or a
-- callback is due. IDs begin with their time of creation, so the caller limits the search to threads that are old
-- enough with `before`, and no index on the time of the last change slows down each turn. One call is one transaction:
-- whatever dies meanwhile, a thread is complete or gone.
create or replace function purge_threads(after uuid, before uuid, everyones_days integer, most integer, most_bytes bigint)
returns table (looked integer, last uuid, thread_ids uuid[], user_ids text[]) language plpgsql set enable_seqscan = off as $$
declare
  page uuid[]; held uuid[]; gone uuid[]; owners text[];
begin
  page := array(select id from threads where id > after and id < before order by id limit most);
  -- Locked in a separate statement, so that the next one sees each thread as its last turn left it. SKIP LOCKED: a thread in use
  -- has just changed.
  held := array(
    select threads.id from threads left join retention as own on own.user_id = threads.user_id and own.kind = 'threads'
    where threads.id = any(page) and active is null and threads.updated_at <
      now() - make_interval(days => case when own.user_id is null then everyones_days else own.days end)
    order by threads.id for update of threads skip locked);
  select array_agg(small.id order by small.id), array_agg(small.user_id order by small.id) into gone, owners from (
    select threads.id, user_id, sum(bytes) over (order by id) - bytes as ahead from threads
    where id = any(held)
      and not exists (select from turns where thread_id = threads.id and status in ('queued', 'running'))
      and not exists (select from gates where thread_id = threads.id and answered_at is null)
      and not exists (select from jobs where jobs.thread_id = threads.id and (jobs.status <> 'completed'
        or exists (select from outbox where outbox.subject = jobs.id)
        or exists (select from deliveries where deliveries.id = jobs.id and state in ('pending', 'sending'))))
  ) as small where ahead < most_bytes;
  -- Turns, gates, summaries and texts are deleted with their thread.
  delete from threads where id = any(gone);
  delete from items where thread_id = any(gone);
  delete from conversations where thread_id = any(gone);
  delete from jobs where thread_id = any(gone);
  return query select cardinality(page), page[cardinality(page)], coalesce(gone, '{}'), coalesce(owners, '{}');
end $$;
