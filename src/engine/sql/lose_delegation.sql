-- A child that is deleted before its end has ended as deleted. What it has used stays counted for its user only. A later turn of its
-- run may still run or wait at a gate: then the child goes on.
create or replace function lose_delegation() returns trigger language plpgsql as $$
declare given_run uuid := coalesce(old.run, old.id);
begin
  update delegations set state = 'ended', outcome = 'deleted', ended_at = clock_timestamp()
    where child_run = given_run and state <> 'ended' and not exists (
      select from turns as t where (t.id = given_run or t.run = given_run) and (t.status in ('queued', 'running')
        or t.status = 'waiting' and exists (select from gates where gates.turn_id = t.id and answered_at is null)));
  return null;
end $$;
