-- The attachments of deleted uses may be unused from now on. A transaction that deletes a thread comes here once for each of its tables,
-- and again for the threads of its children, so it can't lock the rows in one order. It locks their owners first, like
-- `touchAttachments`, so that no one waits for a row in a circle. Owners share 1024 keys: the room for locks is limited.
create or replace function note_idle_attachment() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  perform pg_advisory_xact_lock(8249, key) from (select distinct hashtext(user_id) & 1023 as key from gone order by key) as owners;
  update attachments set idle_since = now() where (user_id, sha256) in (select gone.user_id, gone.sha256 from gone);
  return null;
end $$;
