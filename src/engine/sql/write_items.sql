-- Writes the items of a turn, the texts that are searched for, which attachments they use, and the versions of the workspace that
-- they made, and the sources that they show. `texts`, `uses`, `versions` and `sources` are null when there are none. Bodies are JSON inside a string: PostgreSQL extracts nothing from JSON that contains \u0000.
create or replace function write_items(given_thread uuid, given_turn uuid, given_seq integer, owner text, given_attempt integer,
  items json, texts json, uses json, versions json, sources json default null) returns void language plpgsql as $$
begin
  insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
    select given_thread, given_seq, i.position, i.id, given_turn, owner, given_attempt, i.body::json, i.usage::json,
      case when i.started then now() end
    from json_to_recordset(items) as i (position integer, id uuid, body text, usage text, started boolean);
  if texts is not null then
    insert into item_texts (item_id, thread_id, user_id, role, text, words)
      select t.id, given_thread, owner, t.role, t.text, to_tsvector('simple', t.text)
      from json_to_recordset(texts) as t (id uuid, role text, text text) on conflict do nothing;
  end if;
  if uses is not null then
    insert into attachment_uses (item_id, sha256, thread_id, user_id)
      select u.id, u.sha256, given_thread, owner from json_to_recordset(uses) as u (id uuid, sha256 text)
      on conflict do nothing;
  end if;
  if versions is not null then
    perform write_version(owner, given_thread, given_turn, (v ->> 'item')::uuid, v) from json_array_elements(versions) as v;
  end if;
  if sources is not null then
    insert into sources (thread_id, number, sha256, user_id, url, title, published, how, text, turn_id, item_id)
      select given_thread, s.number, encode(sha256(convert_to(s.text, 'UTF8')), 'hex'), owner, s.url, s.title, s.published, s.how, s.text,
        given_turn, s.item
      from json_to_recordset(sources) as s (number integer, url text, title text, published text, how text, text text, item uuid)
      on conflict do nothing;
  end if;
end $$;
