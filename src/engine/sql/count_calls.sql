-- Adds model calls to the daily sums of their users: `counted` has a list for each of the `owners`. Rows are locked in the order
-- of their key, so that two statements never wait for each other in a circle. `work`: whose budgets a call counts for.
create or replace function count_calls(self uuid, owners text[], counted json[]) returns void language plpgsql as $$
begin
  insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
    input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
  select given.owner, (now() at time zone 'utc')::date, c.provider, c.model, get_byte(uuid_send(self), 15) % 8,
    count(*), count(*) filter (where c.failed), count(*) filter (where c.cost is null),
    sum(c.input), sum(c.cached), sum(c.output), coalesce(sum(c.cost), 0), sum(c.milliseconds)
  from unnest(owners, counted) as given (owner, calls) cross join json_to_recordset(given.calls)
    as c (provider text, model text, failed boolean, input bigint, cached bigint, output bigint, cost float8, milliseconds bigint)
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (user_id, day, provider, model, part) do update set
    calls = present.calls + excluded.calls, errors = present.errors + excluded.errors,
    unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
    input_tokens = present.input_tokens + excluded.input_tokens,
    cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = present.output_tokens + excluded.output_tokens,
    cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds;
  if array_to_string(counted, '') like '%"work":%' then
    insert into work_days as present (user_id, day, work, part, tokens, usd)
    select given.owner, (now() at time zone 'utc')::date, counts.work::uuid, get_byte(uuid_send(self), 15) % 8,
      sum(c.input + c.output), coalesce(sum(c.cost), 0)
    from unnest(owners, counted) as given (owner, calls) cross join json_to_recordset(given.calls)
      as c (input bigint, output bigint, cost float8, work json) cross join json_array_elements_text(c.work) as counts (work)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (user_id, day, work, part) do update set tokens = present.tokens + excluded.tokens, usd = present.usd + excluded.usd;
  end if;
end $$;
