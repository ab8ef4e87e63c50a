-- Leases the first delivery of each due target to this replica. An attempt whose lease has ended is `unknown`, and made
-- again.
create or replace function take_deliveries(self uuid, room integer, lease interval) returns setof deliveries
language plpgsql set enable_seqscan = off as $$
declare ready text[];
begin
  ready := array(select target from delivery_targets where due_at <= now() order by due_at limit room for update skip locked);
  if cardinality(ready) = 0 then return; end if;
  return query
  with heads as (
    select head.id from unnest(ready) as due (target) cross join lateral (select deliveries.id from deliveries
      where deliveries.target = due.target and state in ('pending', 'sending') order by seq limit 1) as head
  ), lapsed as (
    update delivery_attempts set ended_at = now(), outcome = 'unknown' from heads
    where delivery_id = heads.id and delivery_attempts.ended_at is null
  ), taken as (
    update deliveries set state = 'sending', attempts = deliveries.attempts + 1, due_at = now() + lease
    from heads where deliveries.id = heads.id returning deliveries.*
  ), logged as (
    insert into delivery_attempts (delivery_id, attempt, user_id, replica) select taken.id, taken.attempts, taken.user_id, self from taken
  ), held as (
    update delivery_targets set due_at = now() + lease from taken where delivery_targets.target = taken.target
  )
  select * from taken;
  delete from delivery_targets where target = any(ready) and not exists (select from deliveries
    where deliveries.target = delivery_targets.target and state in ('pending', 'sending'));
end $$;
