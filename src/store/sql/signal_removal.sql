-- Signals every replica that a user was removed or has another role, by any process, so that the replicas don't have to poll for it.
create or replace function signal_removal() returns trigger language plpgsql as $$
begin
  perform pg_notify('reborn', '{"removed":true}');
  return null;
end $$;
