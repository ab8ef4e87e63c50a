-- A browser that is signed out gets nothing more. A session that expires leaves its device: notifications can be
-- answered after a new sign-in.
create or replace function forget_devices_of_session() returns trigger language plpgsql as $$
begin
  delete from devices where session_hash = old.hash;
  return null;
end $$;
