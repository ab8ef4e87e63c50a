-- Takes over from dead replicas. For the turns of `crashed` ones the lost attempt counts, because they may have caused the
-- crash; for a replica that was only silent for longer than the lease it does not.
create or replace function take_over_turns(self uuid, crashed uuid[], lease interval) returns table (declared_dead integer, moved integer) language plpgsql set enable_seqscan = off as $$
declare dead uuid[]; steady boolean;
begin
  -- FOR UPDATE meets the KEY SHARE of calls of the dead that are under way, and shuts out later ones. Of several calls, SKIP LOCKED lets one
  -- act. The presence lock is tried once more: its holder may be back.
  -- If the clock was set ahead, the own lease looks expired too, and says nothing about others.
  steady := exists (select from replicas where replicas.id = self and seen_at > now() - lease);
  dead := array(select replicas.id from replicas where replicas.id <> self
    and ((steady and seen_at < now() - lease) or (replicas.id = any(crashed) and pg_try_advisory_xact_lock(8247, lock_key::integer)))
    order by replicas.id for update skip locked);
  delete from replicas where replicas.id = any(dead);
  -- A separate statement, whose snapshot has everything the dead have started. Every turn without a replica is moved, so a turn
  -- that was locked in an earlier round is not forgotten. A replica's row is committed before its first turn.
  with stranded as (
    select turns.id from turns where status = 'running' and ready_at is null
      and not exists (select from replicas where replicas.id = turns.runner)
    order by turns.id for no key update of turns skip locked
  ), freed as (
    update turns set runner = null, ready_at = least(turns.created_at, now()),
      handback = case when turns.runner = any(crashed) then turns.handback else turns.attempt + 1 end
    from stranded where turns.id = stranded.id returning 1
  )
  select cardinality(dead), (select count(*) from freed) into declared_dead, moved;
  return next;
end $$;
