-- Writes each change of a note as a version of it. `app.note_cause` says who made it; a replica of the version before doesn't set it.
-- The first change of a note that has no version also writes the text that it had. If only the origin changes, what the text was
-- written after stays. The 50 newest versions are kept.
create or replace function keep_note_version() returns trigger language plpgsql as $$
declare
  holder text := coalesce(new.user_id, old.user_id);
  place text := coalesce(new.path, old.path);
  cause jsonb := coalesce(nullif(current_setting('app.note_cause', true), ''), '{}')::jsonb;
  known note_versions;
begin
  select * into known from note_versions where user_id = holder and path = place order by version desc limit 1;
  if known.version is null and tg_op <> 'INSERT' then
    known.version := 1;
    insert into note_versions (user_id, path, version, text, origin, written_by, written_at)
      values (holder, place, 1, old.text, old.origin, 'unknown', old.updated_at);
  end if;
  insert into note_versions (user_id, path, version, text, origin, written_by, thread_id, turn_id, call, sources)
    values (holder, place, coalesce(known.version, 0) + 1, new.text, coalesce(new.origin, old.origin),
      coalesce(cause->>'author', 'unknown'), (cause->>'threadId')::uuid, (cause->>'turnId')::uuid, cause->>'call',
      case when new.text = old.text then coalesce(known.sources, '[]') else coalesce(cause->'sources', '[]') end);
  delete from note_versions where user_id = holder and path = place and version <= coalesce(known.version, 0) + 1 - 50;
  return null;
end $$;
