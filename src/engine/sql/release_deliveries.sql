-- When a replica is declared dead, its requests are made again at once, instead of when their lease ends. Chats keep
-- the lease: there, a repeat must first find out what the dead replica has sent. Rows that are locked are left to the
-- lease, so that this never waits for a delivery.
create or replace function release_deliveries() returns trigger language plpgsql as $$
begin
  update delivery_targets set due_at = now() where target in (
    select delivery_targets.target from delivery_attempts
    join deliveries on deliveries.id = delivery_attempts.delivery_id and deliveries.attempts = delivery_attempts.attempt
    join delivery_targets on delivery_targets.target = deliveries.target
    where delivery_attempts.replica = old.id and delivery_attempts.ended_at is null
      and deliveries.state = 'sending' and deliveries.kind <> 'chat'
    for update of delivery_targets skip locked);
  return null;
end $$;
