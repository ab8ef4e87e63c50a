-- Locks a workspace for a new version that is based on the version `base`, or on any if it is null. Outcomes: free, busy (locked:
-- retry), stale (there is a newer version). A workspace that does not exist yet is at version 0.
create or replace function take_workspace(given_id uuid, owner text, base integer) returns text language plpgsql as $$
declare newest integer;
begin
  select head into newest from workspaces where id = given_id and user_id = owner for no key update skip locked;
  if not found then
    if exists (select from workspaces where id = given_id) then return 'busy'; end if;
    newest := 0;
  end if;
  return case when base is null or base = newest then 'free' else 'stale' end;
end $$;
