import { type Kysely, sql } from 'kysely';

/** Announces failures of missions sparingly, silent runs not at all, and missions that the service pauses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [ANNOUNCE_RUN, ANNOUNCE_PAUSE, PAUSE_TRIGGER]) await sql.raw(statement).execute(db);
}

export const worksWith = '0022-sign-in-codes';

/** A failure is announced the first, 10th, 100th and 1000th time in a row. The mission has counted it already. */
const ANNOUNCE_RUN = `
create or replace function announce_run() returns trigger language plpgsql as $$
declare
  failed integer := (select failures from missions where id = new.mission_id);
begin
  if new.state = 'completed' and new.reason = 'no_result' then return null; end if;
  if new.state = 'failed' and failed not in (1, 10, 100, 1000) then return null; end if;
  insert into outbox (user_id, type, subject, data) values (new.user_id, 'mission.' || new.state, new.mission_id,
    json_build_object('slot', new.slot, 'reason', new.reason, 'threadId', new.thread_id, 'turnId', new.turn_id, 'failures', failed));
  return null;
end $$`;

const ANNOUNCE_PAUSE = `
create function announce_pause() returns trigger language plpgsql as $$
begin
  insert into outbox (user_id, type, subject, data)
    values (new.user_id, 'mission.paused', new.id, json_build_object('reason', new.pause_reason));
  return null;
end $$`;
const PAUSE_TRIGGER = `
create trigger announce_pause after update of pause_reason on missions for each row
when (new.pause_reason is distinct from old.pause_reason and new.pause_reason in ('repeated_failure', 'broken_schedule'))
execute function announce_pause()`;
