-- What a turn starts with that belongs to the project of its thread. The settings and the budgets are those of the user, the
-- instructions those of the owner.
create or replace function project_context(owner text, given_project uuid) returns json
language plpgsql stable as $$ begin return (
  select json_build_object(
    'id', own.id, 'ownerId', holder.id, 'name', own.name, 'model', own.model,
    'tokensPerRun', own.tokens_per_run, 'tokensPerDay', own.tokens_per_day,
    'usdPerRun', own.usd_per_run, 'usdPerDay', own.usd_per_day,
    'instructions', (select json_build_object('text', text, 'writtenBy', written_by) from project_notes as n
      where n.user_id = holder.id and n.project_id = own.id and n.path = ''),
    'hasFiles', exists (select from project_notes as n where n.user_id = holder.id and n.project_id = own.id and n.path <> '')
      or exists (select from workspaces as w
        where w.user_id = holder.id and w.project_id = own.id and w.files > 0))
  from folders as own, lateral (
    select coalesce((select m.user_id from project_members as m
      where m.user_id = own.shared_by and m.project_id = own.id and m.member = own.user_id), own.user_id) as id
  ) as holder
  where own.user_id = owner and own.id = given_project
); end $$;
