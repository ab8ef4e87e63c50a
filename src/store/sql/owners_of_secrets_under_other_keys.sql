-- Owners with secrets under other keys. It needs a query across owners, and returns only their ids. The setting is made
-- inside the function: only a superuser may attach a custom setting to a function.
create or replace function owners_of_secrets_under_other_keys(known text[], after text, most integer) returns setof text
language plpgsql as $$
declare
  mark text := coalesce(current_setting('app.engine', true), '');
begin
  perform set_config('app.engine', 'on', true);
  return query
    select distinct user_id from secrets where key_id <> all(known) and user_id > after order by user_id limit most;
  perform set_config('app.engine', mark, true);
end $$;
