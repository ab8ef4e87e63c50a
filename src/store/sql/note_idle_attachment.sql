-- The attachment of a deleted use may be unused from now on.
create or replace function note_idle_attachment() returns trigger language plpgsql as $$
begin
  update attachments set idle_since = now() where user_id = old.user_id and sha256 = old.sha256;
  return null;
end $$;
