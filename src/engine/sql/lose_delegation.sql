-- A child that is deleted before its end has ended as deleted. What it has used stays counted for its user only.
create or replace function lose_delegation() returns trigger language plpgsql as $$
begin
  update delegations set state = 'ended', outcome = 'deleted', ended_at = clock_timestamp()
    where child_run = coalesce(old.run, old.id) and state <> 'ended';
  return null;
end $$;
