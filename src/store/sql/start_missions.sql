-- Writes the occurrences of missions that wait for the end of a turn, in the transaction that ends it, so that none is
-- lost or doubled. A steered turn is no end: its run goes on. A turn in a thread of a mission starts none, or missions could start each other forever;
-- nor does a child, which is a part of a run. A slot has
-- whole milliseconds, and never whole seconds, which are those of the clock.
create or replace function start_missions() returns trigger language plpgsql as $$
declare
  mission record;
  at timestamptz;
begin
  if new.steered_by is not null or exists (select from threads where id = new.thread_id and parent is not null) then return null; end if;
  for mission in select id, user_id, revision from missions
    where event_user_id = new.user_id and state = 'active'
      and not exists (select from occurrences where thread_id = new.thread_id)
  loop
    at := date_trunc('milliseconds', clock_timestamp());
    for attempt in 1..100 loop
      if at <> date_trunc('second', at) then
        insert into occurrences (mission_id, slot, user_id, kind, state, reason, revision, due_at, cause_turn_id, ended_at)
          select mission.id, at, mission.user_id, 'event', case when recent < 60 then 'due' else 'skipped' end,
            case when recent >= 60 then 'too_many_events' end, mission.revision, at, new.id, case when recent >= 60 then now() end
          from (select count(*) as recent from occurrences where mission_id = mission.id and kind = 'event'
            and state <> 'skipped' and slot > now() - interval '1 hour') as counted
          on conflict do nothing;
        exit when found;
      end if;
      at := at + interval '1 millisecond';
    end loop;
  end loop;
  return null;
end $$;
