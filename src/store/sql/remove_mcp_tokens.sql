-- Removes the tokens of all users for a server that is removed. The setting is made inside the function: only a
-- superuser may attach a custom setting to a function.
create or replace function remove_mcp_tokens() returns trigger language plpgsql as $$
declare
  mark text := coalesce(current_setting('app.engine', true), '');
begin
  perform set_config('app.engine', 'on', true);
  delete from secrets where name in (
    'mcp.' || old.id || '.token', 'mcp.' || old.id || '.token:grant', 'mcp.' || old.id || '.token:sign-in',
    'mcp.' || old.id || '.token:client');
  perform set_config('app.engine', mark, true);
  return old;
end $$;
