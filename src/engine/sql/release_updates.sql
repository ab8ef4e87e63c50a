-- When a replica is declared dead, the updates that it was handling are handled again at once, instead of when their
-- lease ends. Rows that are locked are left to the lease, so that this never waits for an update.
create or replace function release_updates() returns trigger language plpgsql as $$
begin
  update chat_inbox set due_at = now() where id in (
    select id from chat_inbox where handler = old.id and state = 'new' for update skip locked);
  return null;
end $$;
