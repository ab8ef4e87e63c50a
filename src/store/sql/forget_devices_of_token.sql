-- Revoking a token ends the sessions that it opened.
create or replace function forget_devices_of_token() returns trigger language plpgsql as $$
begin
  delete from devices using sessions where sessions.token_hash = new.hash and session_hash = sessions.hash;
  return null;
end $$;
