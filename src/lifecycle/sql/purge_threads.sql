-- Looks at `most` threads after the given one, and deletes those that expired, up to about `most_bytes`. A thread
-- expires a number of days after its last change, but never while a turn of it is unfinished, a gate is open, or a
-- callback is due. IDs begin with their time of creation, so the caller limits the search to threads that are old
-- enough with `before`, and no index on the time of the last change slows down each turn. One call is one transaction:
-- whatever dies meanwhile, a thread is complete or gone.
create or replace function purge_threads(after uuid, before uuid, everyones_days integer, most integer, most_bytes bigint)
returns table (looked integer, last uuid, thread_ids uuid[], user_ids text[]) language plpgsql set enable_seqscan = off as $$
declare
  page uuid[]; held uuid[];
begin
  page := array(select id from threads where id > after and id < before order by id limit most);
  -- Locked in a separate statement, so that the next one sees each thread as its last turn left it. SKIP LOCKED: a thread in use
  -- has just changed.
  held := array(
    select threads.id from threads left join retention as own on own.user_id = threads.user_id and own.kind = 'threads'
    where threads.id = any(page) and active is null and threads.updated_at <
      now() - make_interval(days => case when own.user_id is null then everyones_days else own.days end)
    order by threads.id for update of threads skip locked);
  return query select cardinality(page), page[cardinality(page)], done.thread_ids, done.user_ids
    from delete_idle_threads(held, most_bytes) as done;
end $$;
