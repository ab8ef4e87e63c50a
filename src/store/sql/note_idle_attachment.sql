-- The attachments of deleted uses may be unused from now on. One statement locks all of them, in the order of their keys like
-- `touchAttachments`, so that two transactions never wait for each other in a circle.
create or replace function note_idle_attachment() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  with idle as materialized (
    select user_id, sha256 from attachments where (user_id, sha256) in (select gone.user_id, gone.sha256 from gone)
    order by user_id, sha256 for no key update
  )
  update attachments set idle_since = now() from idle where attachments.user_id = idle.user_id and attachments.sha256 = idle.sha256;
  return null;
end $$;
