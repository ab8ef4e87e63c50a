-- Records the result of an attempt. It counts if no newer attempt has started, or if the delivery was made. `requeue`
-- moves the delivery behind the others of its target. `pause` blocks the whole account for that time.
create or replace function end_delivery(given uuid, given_attempt integer, given_outcome text, next_state text, counts boolean, wait interval,
  requeue boolean, pause interval, given_status integer, given_retry float8, given_error text, given_remote text)
returns boolean language plpgsql set enable_seqscan = off as $$
declare found_target text; found_account text; next_due timestamptz;
begin
  select target, account into found_target, found_account from deliveries where id = given;
  perform from delivery_targets where target = found_target for update;
  update delivery_attempts set ended_at = clock_timestamp(), outcome = given_outcome, status = given_status, retry_after = given_retry,
    error = given_error where delivery_id = given and attempt = given_attempt;
  update deliveries set state = next_state, failures = failures + counts::integer, last_error = given_error,
    payload = case when next_state <> 'sent' then payload end,
    due_at = clock_timestamp() + wait, remote_id = coalesce(given_remote, remote_id),
    seq = case when requeue then nextval(pg_get_serial_sequence('deliveries', 'seq')) else seq end,
    ended_at = case when next_state in ('sent', 'dead') then clock_timestamp() end
  where id = given and state = 'sending' and (attempts = given_attempt or next_state = 'sent');
  if not found then return false; end if;
  if given_outcome = 'gone' then
    update deliveries set state = 'dead', last_error = given_error, ended_at = clock_timestamp()
    where target = found_target and state in ('pending', 'sending');
    update notification_endpoints set gone_at = clock_timestamp() where 'endpoint:' || id = found_target;
  end if;
  if pause is not null then
    insert into delivery_blocks (account, blocked_until) values (found_account, clock_timestamp() + pause)
    on conflict (account) do update set blocked_until = greatest(delivery_blocks.blocked_until, excluded.blocked_until);
    update delivery_targets set due_at = greatest(due_at, clock_timestamp() + pause) where target in (
      select target from delivery_targets where account = found_account and target <> found_target for update skip locked);
  end if;
  select due_at into next_due from deliveries
    where target = found_target and state in ('pending', 'sending') order by seq limit 1;
  if next_due is null then
    delete from delivery_targets where target = found_target;
  else
    update delivery_targets set due_at = greatest(next_due, clock_timestamp() + pause) where target = found_target;
  end if;
  return true;
end $$;
