-- Deletes what names the user elsewhere. An entry of the audit log keeps its time, action and ids; all else in it may
-- be personal.
create or replace function erase_mentions(given uuid, owner text, most integer) returns bigint language plpgsql as $$
declare
  gone bigint; total bigint := 0; through bigint;
begin
  delete from pairings where paired_user_id = owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'pairings', gone);
  delete from project_members where member = owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'project_members', gone);
  update project_notes set written_by = null where written_by = owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'authors of project_notes', gone);
  delete from settings where starts_with(name, 'tool_policy:') and right(name, length(owner) + 1) = '@' || owner;
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'settings', gone);
  delete from rate_windows where right(key, length(owner) + 1) = ':' || owner;

  select audit_through into through from erasures where id = given;
  select max(id) into through from (select id from audit where id > through order by id limit most) as next;
  if through is null then return total; end if;
  perform set_config('app.audit', 'update', true);
  update audit set detail = '{}', subject = case when actor = owner and subject <> owner then null else subject end
    where id > (select audit_through from erasures where erasures.id = given) and id <= through
      and (actor = owner or subject = owner or strpos(detail::text, '"' || owner || '"') > 0)
      and (detail::text <> '{}' or (actor = owner and subject <> owner));
  get diagnostics gone = row_count;
  perform set_config('app.audit', '', true);
  perform count_erased(given, 'audit details', gone);
  update erasures set audit_through = through where id = given;
  return total + 1;
end $$;
