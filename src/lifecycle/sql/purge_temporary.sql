-- Deletes up to `most` temporary threads whose last message is a day old, whatever else is set for threads.
create or replace function purge_temporary(most integer, most_bytes bigint)
returns table (thread_ids uuid[], user_ids text[]) language plpgsql set enable_seqscan = off as $$
declare
  held uuid[];
begin
  held := array(
    select threads.id from threads
    where temporary and active is null and updated_at < now() - interval '24 hours'
      and not exists (select from gates where gates.thread_id = threads.id and answered_at is null)
    order by threads.id limit most for update of threads skip locked);
  return query select done.thread_ids, done.user_ids from delete_idle_threads(held, most_bytes) as done;
end $$;
