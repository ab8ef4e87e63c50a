-- The active turn of a thread, if a message with this number can steer it; the turns between them, which were sent earlier, steer it too
-- then. A turn that is cancelled is not steered, nor a compaction, nor one that has a job or the run of a mission behind it: nobody
-- corrects those. The request is read as text, because PostgreSQL can't look inside JSON that has null characters. The caller holds the lock of the thread.
create or replace function steer_active(given_thread uuid, owner text, before_seq integer) returns uuid language plpgsql as $$
declare steered uuid;
begin
  select t.id into steered from threads join turns as t on t.id = threads.active
    where threads.id = given_thread and threads.user_id = owner and t.cancel_reason is null
      and t.request::text !~ '^\{("timeoutMs":\d+,)?"task":"compaction"'
      and not exists (select from turns as work where work.thread_id = given_thread and work.status = 'queued'
        and work.seq > t.seq and work.seq < before_seq and work.channel in ('mission', 'webhook'));
  if found then
    update turns set steers = 'step' where thread_id = given_thread and user_id = owner and status = 'queued'
      and id <> steered and seq < before_seq and steers is null;
  end if;
  return steered;
end $$;
