-- Lets a parked turn go on if nothing of its run is unfinished, or if it is being cancelled. Locked first: `park_turn` may be about
-- to park it. A user who moves to another cell has all turns parked; they go on there.
create or replace function wake_parent(given_turn uuid) returns boolean language plpgsql as $$
begin
  perform from turns where id = given_turn for no key update;
  update turns set ready_at = now() where id = given_turn and status = 'running' and ready_at = 'infinity'
    and (cancel_reason is not null or not exists (
      select from delegations where delegations.run = coalesce(turns.run, turns.id) and state <> 'ended'))
    and not exists (select from user_moves where subject = turns.user_id and user_moves.state <> 'arrived');
  return found;
end $$;
