-- The service has paused a mission.
create or replace function announce_pause() returns trigger language plpgsql as $$
begin
  insert into outbox (user_id, type, subject, data)
    values (new.user_id, 'mission.paused', new.id, json_build_object('reason', new.pause_reason));
  return null;
end $$;
