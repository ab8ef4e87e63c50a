-- Deletes those of the locked threads that no turn, gate or callback needs any more, up to about `most_bytes`, each with the threads
-- of its children: those have no end of their own. A child that somebody holds may be getting a message, so its thread stays.
create or replace function delete_idle_threads(held uuid[], most_bytes bigint)
returns table (thread_ids uuid[], user_ids text[]) language plpgsql as $$
declare
  gone uuid[]; owners text[];
  below_held uuid[] := array(select id from threads where root = any(held) order by id for update skip locked);
begin
  select array_agg(small.id order by small.id), array_agg(small.user_id order by small.id) into gone, owners from (
    select threads.id, user_id, sum(bytes) over (order by id) - bytes as ahead from threads
    where id = any(held) and root is null
      and not exists (select from threads as below where below.root = threads.id and below.id <> all(below_held))
      and not exists (select from threads as below join turns on turns.thread_id = below.id
        where below.root = threads.id and turns.status in ('queued', 'running'))
      and not exists (select from threads as below join gates on gates.thread_id = below.id
        where below.root = threads.id and answered_at is null)
      and not exists (select from turns where thread_id = threads.id and status in ('queued', 'running'))
      and not exists (select from gates where thread_id = threads.id and answered_at is null)
      and not exists (select from jobs where jobs.thread_id = threads.id and (jobs.status <> 'completed'
        or exists (select from outbox where outbox.subject = jobs.id)
        or exists (select from deliveries where deliveries.id = jobs.id and state in ('pending', 'sending'))))
  ) as small where ahead < most_bytes;
  select gone || coalesce(array_agg(id order by id), '{}'), owners || coalesce(array_agg(user_id order by id), '{}') into gone, owners
    from threads where root = any(gone);
  -- Turns, gates, summaries and texts are deleted with their thread.
  delete from threads where id = any(gone);
  delete from items where thread_id = any(gone);
  delete from conversations where thread_id = any(gone);
  delete from jobs where thread_id = any(gone);
  return query select coalesce(gone, '{}'), coalesce(owners, '{}');
end $$;
