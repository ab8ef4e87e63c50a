-- The audit log is append-only. `app.audit` names the one change that a function makes, for as long as it runs.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op in ('DELETE', 'UPDATE') and current_setting('app.audit', true) = lower(tg_op) then return null; end if;
  raise exception 'The audit log is only ever appended to.';
end $$;
