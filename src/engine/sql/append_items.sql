-- Appends the items of running turns. An entry is written only if its attempt still runs on this replica and continues the
-- turn exactly where the table ends. Outcomes: written (now, or by an earlier send), busy (locked: retry), lost.
-- `call_ids`: for each entry with a model call and no items, what identifies a repeated send. The previous version sends none.
drop function if exists append_items(uuid, uuid[], integer[], integer[], integer[], integer[], uuid[], text[], text[], boolean[],
  integer[], text[], text[], boolean[], bigint[], bigint[], bigint[], float8[], bigint[]);
create or replace function append_items(self uuid, turn_ids uuid[], attempts integer[], firsts integer[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[], item_usages text[], starteds boolean[],
  call_entries integer[], providers text[], models text[], faileds boolean[], inputs bigint[], cacheds bigint[],
  outputs bigint[], costs float8[], took bigint[], call_ids uuid[] default '{}')
returns table (entry integer, outcome text) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare mine uuid[];
begin
  -- `is not distinct from`: with `=` the planner would walk the index of all running turns of this replica for each entry.
  mine := array(select turns.id from unnest(turn_ids, attempts) as s (id, attempt) join turns on turns.id = s.id and turns.attempt = s.attempt
    where turns.runner is not distinct from self and turns.status = 'running' order by turns.id for no key update of turns skip locked);
  return query
  with fits as (
    select turns.id, turns.thread_id, turns.seq, turns.user_id, turns.attempt, s.call_id, s.n
    from unnest(turn_ids, attempts, firsts, call_ids) with ordinality as s (id, attempt, first, call_id, n)
    join turns on turns.id = s.id and turns.attempt = s.attempt where s.id = any(mine)
      and (s.call_id is null or s.call_id <> all(coalesce(turns.counted_calls, '{}'))) and (s.first is null or s.first = (
      select coalesce(max(position), -1) + 1 from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq))
  ), put as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
    select f.thread_id, f.seq, i.position, i.id, f.id, f.user_id, f.attempt, i.body::json, i.usage::json, case when i.started then now() end
    from unnest(item_entries, positions, item_ids, bodies, item_usages, starteds) as i (n, position, id, body, usage, started)
    join fits as f on f.n = i.n
  ), marked as (
    update turns set counted_calls = turns.counted_calls || m.call_ids
    from (select fits.id, array_agg(fits.call_id) as call_ids from fits where fits.call_id is not null group by fits.id) as m
    where turns.id = m.id
  ), counted as (
    insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
      input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
    select fence.user_id, (now() at time zone 'utc')::date, c.provider, c.model, get_byte(uuid_send(self), 15) % 8,
      count(*), count(*) filter (where c.failed), count(*) filter (where c.cost is null),
      sum(c.input), sum(c.cached), sum(c.output), coalesce(sum(c.cost), 0), sum(c.ms)
    from unnest(call_entries, providers, models, faileds, inputs, cacheds, outputs, costs, took)
      as c (n, provider, model, failed, input, cached, output, cost, ms) join fits as fence on fence.n = c.n
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (user_id, day, provider, model, part) do update set
      calls = present.calls + excluded.calls, errors = present.errors + excluded.errors,
      unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
      input_tokens = present.input_tokens + excluded.input_tokens,
      cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = present.output_tokens + excluded.output_tokens,
      cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds
  )
  select s.n::integer, case when fits.id is not null then 'written'
    when s.id = any(mine) and exists (select from unnest(item_entries, item_ids) as i (n, id) join items on items.id = i.id
      join turns on turns.id = s.id and turns.thread_id = items.thread_id and turns.seq = items.turn_seq where i.n = s.n) then 'written'
    when s.id = any(mine) and exists (select from turns where turns.id = s.id and s.call_id = any(turns.counted_calls)) then 'written'
    when s.id <> all(mine) and exists (select from turns
      where turns.id = s.id and turns.attempt = s.attempt and turns.runner = self and turns.status = 'running') then 'busy'
    else 'lost' end
  from unnest(turn_ids, attempts, call_ids) with ordinality as s (id, attempt, call_id, n) left join fits on fits.n = s.n;
end $$;
