-- Replaces outbox rows by the deliveries that they lead to. One replica does it at a time, so that the deliveries of a
-- target get their numbers in the order of the outbox. Returns the number of rows, or null when another replica is
-- doing it.
create or replace function route_outbox(numbers bigint[], froms bigint[], ids uuid[], user_ids text[], kinds text[], targets text[], accounts text[],
  types text[], payloads text[], dues timestamptz[]) returns integer language plpgsql set enable_seqscan = off as $$
declare routed bigint[]; times timestamptz[];
begin
  if not pg_try_advisory_xact_lock(8248, 1) then return null; end if;
  with gone as (delete from outbox where number = any(numbers) returning number, created_at)
  select coalesce(array_agg(number), '{}'), array_agg(created_at) into routed, times from gone;
  -- The targets are locked first, in the order of their names: the end of a target's last delivery would otherwise not see the new ones.
  insert into delivery_targets (target, user_id, account, due_at)
    select r.target, min(r.user_id), min(r.account), greatest(min(r.due), max(blocks.blocked_until))
    from unnest(froms, user_ids, targets, accounts, dues) as r (number, user_id, target, account, due)
    left join delivery_blocks as blocks on blocks.account = r.account
    where r.number = any(routed) group by r.target order by r.target
    on conflict (target) do update set due_at = delivery_targets.due_at;
  insert into deliveries (id, user_id, kind, target, account, type, payload, due_at, created_at)
    select r.id, r.user_id, r.kind, r.target, r.account, r.type, r.payload::json, r.due,
      times[array_position(routed, r.number)]
    from unnest(froms, ids, user_ids, kinds, targets, accounts, types, payloads, dues) with ordinality
      as r (number, id, user_id, kind, target, account, type, payload, due, n)
    where r.number = any(routed) order by r.n on conflict (id) do nothing;
  return cardinality(routed);
end $$;
