-- Puts down a running turn that has nothing to do before its children end. It holds no place, and stays the active turn of its
-- thread. `wake_parent` takes the same lock, so that the end of the last child is seen here or finds the turn parked. Outcomes:
-- parked, ready (no child is unfinished, or the turn is being cancelled: it goes on with its next attempt), lost.
create or replace function park_turn(self uuid, given_turn uuid, given_attempt integer) returns text language plpgsql as $$
declare
  turn record; outcome text;
begin
  select coalesce(t.run, t.id) as run, t.cancel_reason, t.user_id into turn from turns as t
    where t.id = given_turn and t.attempt = given_attempt and t.runner is not distinct from self and t.status = 'running'
    for no key update;
  if not found then return 'lost'; end if;
  outcome := case when turn.cancel_reason is null
    and exists (select from delegations where delegations.run = turn.run and state <> 'ended') then 'parked' else 'ready' end;
  update turns set runner = null, ready_at = case outcome when 'parked' then 'infinity' else now() end, handback = attempt + 1
    where id = given_turn;
  return outcome;
end $$;
