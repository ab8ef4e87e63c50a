-- Deletes some rows of an erasure, and returns how many: 0 when none is left, null while another process does it.
create or replace function erase_batch(given uuid, most_threads integer, most integer, most_bytes bigint) returns bigint language plpgsql as $$
declare
  owner text; gone bigint; mark text := coalesce(current_setting('app.identities', true), '');
begin
  select subject into owner from erasures where id = given and completed_at is null for update skip locked;
  if not found then return null; end if;
  perform set_config('app.identities', 'on', true);
  gone := erase_threads(given, owner, most_threads, most_bytes);
  if gone = 0 then gone := erase_owned(given, owner, most); end if;
  if gone = 0 then gone := erase_mentions(given, owner, most); end if;
  if gone = 0 then
    delete from users where id = owner;
    get diagnostics gone = row_count;
    perform count_erased(given, 'users', gone);
  end if;
  perform set_config('app.identities', mark, true);
  return gone;
end $$;
