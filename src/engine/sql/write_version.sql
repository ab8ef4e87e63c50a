-- Writes the next version of a workspace that `take_workspace` has locked, and returns its number. It holds only what changed; a file
-- without a hash is removed, and the text of one with a kind of document is read later. Unless another workspace is named, it is the thread's own. Two transactions can create a workspace at
-- the same time: the second one fails as a conflict.
create or replace function write_version(owner text, given_thread uuid, given_turn uuid, given_item uuid, given json) returns integer
language plpgsql as $$
declare newest integer; v record;
begin
  select * into v from json_to_record(given)
    as v (workspace uuid, base integer, cause text, is_foreign boolean, environment text, files json);
  v.workspace := coalesce(v.workspace, given_thread);
  if v.workspace = given_thread then
    insert into workspaces (id, user_id, thread_id) values (given_thread, owner, given_thread) on conflict (id) do nothing;
  end if;
  with changed as materialized (
    select c.path, c.sha256, c.bytes from json_to_recordset(v.files) as c (path text, sha256 text, bytes integer)
  ), before as (
    select distinct on (f.path) f.path, f.sha256, f.bytes from workspace_files as f join changed on changed.path = f.path
    where f.workspace_id = v.workspace order by f.path, f.version desc
  ), sums as (
    select count(changed.sha256) - count(before.sha256) as files,
      coalesce(sum(changed.bytes) filter (where changed.sha256 is not null), 0)
        - coalesce(sum(before.bytes) filter (where before.sha256 is not null), 0) as bytes
    from changed left join before on before.path = changed.path
  )
  update workspaces as w set head = w.head + 1, files = w.files + sums.files, bytes = w.bytes + sums.bytes,
    is_foreign = w.is_foreign or v.is_foreign, last_active_at = now()
    from sums where w.id = v.workspace and w.user_id = owner and (v.base is null or w.head = v.base)
    returning w.head into newest;
  if newest is null and v.workspace is distinct from given_thread and not exists (select from workspaces where id = v.workspace) then
    return null; -- the caller has deleted the container meanwhile
  end if;
  if newest is null then raise exception using errcode = '40001', message = 'the workspace has a newer version'; end if;
  insert into workspace_versions (workspace_id, version, user_id, cause, turn_id, item_id, environment)
    values (v.workspace, newest, owner, v.cause, given_turn, given_item, v.environment);
  insert into workspace_files (workspace_id, path, version, user_id, sha256, bytes, mode)
    select v.workspace, c.path, newest, owner, c.sha256, c.bytes, c.mode
    from json_to_recordset(v.files) as c (path text, sha256 text, bytes integer, mode smallint);
  insert into documents (user_id, sha256, kind)
    select distinct on (c.sha256) owner, c.sha256, c.kind from json_to_recordset(v.files) as c (sha256 text, kind text)
    join attachments on attachments.user_id = owner and attachments.sha256 = c.sha256 where c.kind is not null
    on conflict do nothing;
  return newest;
end $$;
