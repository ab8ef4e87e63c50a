-- Deletes old entries of the audit log. They are numbered in the order of time, so only the oldest have to be looked
-- at.
create or replace function purge_audit(most integer, days integer) returns integer language plpgsql as $$
declare
  gone integer;
begin
  perform set_config('app.audit', 'delete', true);
  delete from audit where id = any(array(select id from audit order by id limit most)) and at < now() - make_interval(days => days);
  get diagnostics gone = row_count;
  perform set_config('app.audit', '', true);
  return gone;
end $$;
