import { type Kysely, sql } from 'kysely';

/** Missions that are due on an event: a turn that has ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `event_user_id` is the user whose turns count; null for a mission that is due by the clock.
  await sql`
    alter table missions add column event_user_id text`.execute(db);
  await sql`
    alter table occurrences add column cause_turn_id uuid,
      drop constraint occurrences_kind_check,
      add constraint occurrences_kind_check check (kind in ('scheduled', 'manual', 'event'))`.execute(db);
  await sql`create index missions_by_event on missions (event_user_id) where event_user_id is not null`.execute(db);
  await sql`create index occurrences_by_thread on occurrences (thread_id) where thread_id is not null`.execute(db);
  for (const statement of [START, TRIGGER]) await sql.raw(statement).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/**
 * Writes the occurrences in the transaction that ends the turn, so that none is lost or doubled. A turn in a thread of a mission
 * starts none, or missions could start each other forever. A slot has whole milliseconds, and never whole seconds, which are those
 * of the clock.
 */
const START = `
create function start_missions() returns trigger language plpgsql as $$
declare
  mission record;
  at timestamptz;
begin
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
end $$`;

const TRIGGER = `
create trigger start_missions after update of status on turns for each row
when (old.status is distinct from new.status and new.status in ('completed', 'incomplete', 'failed') and new.channel <> 'mission'
  and not new.refused)
execute function start_missions()`;
