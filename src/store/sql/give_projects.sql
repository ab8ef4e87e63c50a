-- Gives the projects of a user to a member who may write in them, and returns them. The threads of the old owner stay in a project of
-- theirs with the same id. The contents of the files are already stored for the heir.
create or replace function give_projects(owner text, heir text) returns setof uuid language plpgsql as $$
declare p record; files uuid;
begin
  for p in
    select f.id, f.name from project_members as m join folders as f on f.user_id = m.user_id and f.id = m.project_id
    where m.user_id = owner and m.member = heir and m.role = 'write'
    for update of m, f
  loop
    insert into folders (user_id, id, name) values (heir, p.id, p.name)
      on conflict (user_id, id) do update set shared_by = null;
    delete from project_members where user_id = owner and project_id = p.id and member = heir;
    update project_members set user_id = heir where user_id = owner and project_id = p.id;
    update folders set shared_by = heir where id = p.id and shared_by = owner;
    update project_notes set user_id = heir where user_id = owner and project_id = p.id;
    update workspaces set user_id = heir where user_id = owner and project_id = p.id returning id into files;
    update workspace_versions set user_id = heir where workspace_id = files;
    update workspace_files set user_id = heir where workspace_id = files;
    insert into documents (user_id, sha256, kind)
      select distinct on (d.sha256) heir, d.sha256, d.kind from documents as d
      join workspace_files as w on w.workspace_id = files and w.sha256 = d.sha256
      join attachments as a on a.user_id = heir and a.sha256 = d.sha256 where d.user_id = owner
      on conflict do nothing;
    return next p.id;
  end loop;
end $$;
