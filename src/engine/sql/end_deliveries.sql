-- Records the results of attempts. A result counts if no newer attempt has started, or if the delivery was made. `requeue` moves the
-- delivery behind the others of its target. `pause` blocks the whole account for so many seconds. Targets are locked in the order of
-- their names, as in route_outbox.
create or replace function end_deliveries(ends json) returns table (entry integer, counts boolean)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare e record; next_due timestamptz;
begin
  for e in select e.*, deliveries.target, deliveries.account from json_to_recordset(ends) as e (n integer, id uuid, attempt integer,
      outcome text, state text, is_failure boolean, wait float8, requeue boolean, pause float8, status integer, retry_after float8,
      error text, remote_id text)
    join deliveries on deliveries.id = e.id order by deliveries.target, e.n
  loop
    entry := e.n;
    perform from delivery_targets where target = e.target for update;
    update delivery_attempts set ended_at = clock_timestamp(), outcome = e.outcome, status = e.status, retry_after = e.retry_after,
      error = e.error where delivery_id = e.id and attempt = e.attempt;
    update deliveries set state = e.state, failures = failures + e.is_failure::integer, last_error = e.error,
      payload = case when e.state <> 'sent' then payload end,
      due_at = clock_timestamp() + make_interval(secs => e.wait), remote_id = coalesce(e.remote_id, remote_id),
      seq = case when e.requeue then nextval(pg_get_serial_sequence('deliveries', 'seq')) else seq end,
      ended_at = case when e.state in ('sent', 'dead') then clock_timestamp() end
    where id = e.id and state = 'sending' and (attempts = e.attempt or e.state = 'sent');
    counts := found;
    return next;
    continue when not counts;
    if e.outcome = 'gone' then
      update deliveries set state = 'dead', last_error = e.error, ended_at = clock_timestamp()
        where target = e.target and state in ('pending', 'sending');
      update notification_endpoints set gone_at = clock_timestamp() where 'endpoint:' || id = e.target;
    end if;
    if e.pause is not null then
      insert into delivery_blocks (account, blocked_until) values (e.account, clock_timestamp() + make_interval(secs => e.pause))
        on conflict (account) do update set blocked_until = greatest(delivery_blocks.blocked_until, excluded.blocked_until);
      update delivery_targets set due_at = greatest(due_at, clock_timestamp() + make_interval(secs => e.pause)) where target in (
        select target from delivery_targets where account = e.account and target <> e.target for update skip locked);
    end if;
    select due_at into next_due from deliveries where target = e.target and state in ('pending', 'sending') order by seq limit 1;
    if next_due is null then
      delete from delivery_targets where target = e.target;
    else
      update delivery_targets set due_at = greatest(next_due, clock_timestamp() + make_interval(secs => e.pause)) where target = e.target;
    end if;
  end loop;
end $$;
