-- Claims turns that wait for a replica, oldest first, and `orphans`: turns that run here according to the table but are
-- unknown to this process, because an answer was lost. Their process lives, so that attempt doesn't count as a crash. A turn
-- that was cancelled while it waits may be named there too: it needs no room, because it is only closed.
create or replace function claim_turns(self uuid, room integer, orphans uuid[]) returns setof uuid language plpgsql set enable_seqscan = off as $$
begin
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
  return query
  with waiting as (
    select turns.id from turns where ready_at <= now() order by ready_at limit room for no key update skip locked
  ), lost as (
    select turns.id from turns where turns.id = any(orphans) and (turns.runner = self and turns.status = 'running'
      or turns.ready_at < 'infinity' and turns.cancel_reason is not null) for no key update skip locked
  ), claimed as (
    update turns set status = 'running', runner = self, attempt = turns.attempt + 1, ready_at = null,
      handback = case when picked.is_lost then turns.attempt + 1 else turns.handback end, started_at = coalesce(turns.started_at, clock_timestamp())
    from (select waiting.id, false as is_lost from waiting union all select lost.id, true from lost) as picked where turns.id = picked.id
    returning turns.id
  ), begun as (
    update jobs set status = 'running' from claimed where jobs.turn_id = claimed.id and jobs.status = 'queued'
  )
  select claimed.id from claimed;
end $$;
