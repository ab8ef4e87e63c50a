-- Triggers, installed after the functions.

create trigger append_only before delete or update or truncate on audit -- also refuses a change that matches no row
  for each statement execute function refuse_audit_change();

create trigger start_missions after update of status on turns for each row
  when (old.status is distinct from new.status and new.status in ('completed', 'incomplete', 'failed')
    and new.channel <> 'mission' and not new.refused)
  execute function start_missions();

-- Only these channels get their replies without deliveries.
create trigger announce_turn after update of status on turns for each row
  when (old.status is distinct from new.status and (new.status = 'waiting'
    or new.channel not in ('responses', 'chat-completions', 'gateway', 'mission')
      and new.status in ('completed', 'incomplete', 'failed', 'cancelled')))
  execute function announce_turn();
create trigger announce_job after update of status on jobs for each row
  when (new.callback_url is not null and old.status <> 'completed' and new.status = 'completed')
  execute function announce_job();
create trigger announce_run after update of state on occurrences for each row
  when (old.state is distinct from new.state and new.state in ('completed', 'failed'))
  execute function announce_run();
create trigger announce_pause after update of pause_reason on missions for each row
  when (new.pause_reason is distinct from old.pause_reason
    and new.pause_reason in ('repeated_failure', 'broken_schedule'))
  execute function announce_pause();

create trigger release_deliveries after delete on replicas for each row execute function release_deliveries();
create trigger release_updates after delete on replicas for each row execute function release_updates();

create trigger note_idle_attachment after delete on attachment_uses for each row execute function note_idle_attachment();
create trigger note_idle_attachment after delete on workspace_files for each row
  when (old.sha256 is not null) execute function note_idle_attachment();
create trigger note_idle_attachment after delete on uploaded_files for each row execute function note_idle_attachment();
create trigger note_unused_object after delete on attachments for each row
  when (old.object_key is not null) execute function note_unused_object();
create trigger note_replaced_object after update of object_key on attachments for each row
  when (old.object_key is not null and old.object_key is distinct from new.object_key)
  execute function note_unused_object();

create trigger remove_tokens after delete on mcp_servers for each row execute function remove_mcp_tokens();
create trigger signal_removal after update of removed_at on users for each row
  when (old.removed_at is null and new.removed_at is not null) execute function signal_removal();
create trigger forget_devices after delete on sessions for each row
  when (old.expires_at > now()) execute function forget_devices_of_session();
create trigger forget_devices after update of revoked_at on tokens for each row
  when (old.revoked_at is null and new.revoked_at is not null) execute function forget_devices_of_token();
