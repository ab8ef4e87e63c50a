-- A run of a mission has completed or failed. Silent runs are not announced, and a failure only the first, 10th, 100th
-- and 1000th time in a row. The mission has counted it already.
create or replace function announce_run() returns trigger language plpgsql as $$
declare
  failed integer := (select failures from missions where id = new.mission_id);
begin
  if new.state = 'completed' and new.reason = 'no_result' then return null; end if;
  if new.state = 'failed' and failed not in (1, 10, 100, 1000) then return null; end if;
  insert into outbox (user_id, type, subject, data) values (new.user_id, 'mission.' || new.state, new.mission_id,
    json_build_object('slot', new.slot, 'reason', new.reason, 'threadId', new.thread_id, 'turnId', new.turn_id, 'failures', failed));
  return null;
end $$;
