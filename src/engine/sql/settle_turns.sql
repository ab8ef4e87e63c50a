-- Ends turns with their last items, and activates the next turn of their threads. Outcomes: ended, again (an earlier send was
-- stored), busy (locked: retry), lost. A successor that may run here is returned as `next`, already running. While a gate is open,
-- the thread has no active turn and its messages stay queued: the turn that continues after the gate comes before them.
create or replace function settle_turns(self uuid, room integer, cancelled_job text,
  turn_ids uuid[], attempts integer[], statuses text[], failures text[], refuseds boolean[], usages text[], firsts integer[], grows bigint[],
  gate_ids uuid[], gate_kinds text[], gate_calls text[], gate_revisions text[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[], item_usages text[], starteds boolean[],
  call_entries integer[], providers text[], models text[], faileds boolean[], inputs bigint[], cacheds bigint[],
  outputs bigint[], costs float8[], took bigint[], gate_facts text[] default null)
returns table (entry integer, outcome text, ended_at timestamptz, next uuid, next_runs boolean) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare held uuid[]; answered integer; crowded boolean; moment timestamptz;
begin
  -- As in accept_turns: the burial of this replica must not miss the successors that start here.
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
  -- Thread and turn are locked in a separate statement. An input that was accepted before is committed, so the next statement
  -- sees it queued; one that comes later finds the thread locked, or free, or with its successor. There is no fourth case.
  held := array(select turns.id from unnest(turn_ids, attempts) as s (id, attempt)
    join turns on turns.id = s.id and turns.attempt = s.attempt join threads on threads.id = turns.thread_id
    where turns.runner is not distinct from self and turns.status = 'running'
    order by threads.id for no key update of threads, turns skip locked);
  -- Read under the locks: now() is when the transaction began, which may be before the turn ahead ended.
  moment := clock_timestamp();
  crowded := exists (select from turns where ready_at <= now()); -- no successor overtakes those who wait for a replica
  return query
  with fits as (
    -- The attempt once more: two attempts of one turn can meet in one batch, when a replica was buried and got its own turn back.
    select s.*, turns.thread_id from unnest(turn_ids, attempts, statuses, failures, refuseds, usages, firsts, grows, gate_kinds)
      with ordinality as s (id, attempt, status, failure, refused, usage, first, grows, gate, n)
    join turns on turns.id = s.id and turns.attempt = s.attempt where s.id = any(held) and (s.first is null or s.first = (
      select coalesce(max(position), -1) + 1 from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq))
  ), ended as (
    update turns set status = fits.status, failure = fits.failure::json, refused = fits.refused, usage = fits.usage::json,
      runner = null, ended_at = moment
    from fits where turns.id = fits.id
    returning turns.id, turns.thread_id, turns.seq, turns.user_id, turns.attempt, turns.ended_at, turns.status, turns.failure, fits.grows, fits.gate, fits.n
  ), written as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
    select e.thread_id, e.seq, i.position, i.id, e.id, e.user_id, e.attempt, i.body::json, i.usage::json, case when i.started then now() end
    from unnest(item_entries, positions, item_ids, bodies, item_usages, starteds) as i (n, position, id, body, usage, started)
    join ended as e on e.n = i.n
  ), opened as (
    insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, revision, asked)
    select g.id, e.thread_id, e.id, e.seq, e.user_id, g.kind, g.call::json, g.revision, g.asked::json
    from unnest(gate_ids, gate_kinds, gate_calls, gate_revisions, gate_facts)
      with ordinality as g (id, kind, call, revision, asked, n)
    join ended as e on e.n = g.n where g.id is not null
  ), followed as (
    update jobs set waiting_on = e.gate,
      status = case when e.gate is null then 'completed' else jobs.status end,
      failure = case when e.status = 'cancelled' then cancelled_job::json else e.failure end,
      completed_at = case when e.gate is null then e.ended_at end
    from ended as e where jobs.turn_id = e.id
  ), following as (
    select e.id as ended_id, q.id, row_number() over (order by e.n) <= room and not crowded as runs
    from ended as e cross join lateral (select turns.id from turns
      where turns.thread_id = e.thread_id and turns.seq > e.seq and turns.status = 'queued' and e.gate is null
        and not exists (select from gates where gates.thread_id = e.thread_id and answered_at is null) order by turns.seq limit 1) as q
  ), started as (
    update turns set status = case when runs then 'running' else turns.status end, runner = case when runs then self end,
      attempt = turns.attempt + runs::integer, started_at = case when runs then moment end,
      ready_at = case when not runs then least(turns.created_at, now()) end
    from following where turns.id = following.id
    returning turns.id, following.ended_id, following.runs
  ), begun as (
    update jobs set status = 'running' from started where started.runs and jobs.turn_id = started.id and jobs.status = 'queued'
  ), passed as (
    update threads set active = s.id, bytes = threads.bytes + e.grows
    from ended as e left join started as s on s.ended_id = e.id where threads.id = e.thread_id
  ), counted as (
    insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
      input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
    select fence.user_id, (now() at time zone 'utc')::date, c.provider, c.model, get_byte(uuid_send(self), 15) % 8,
      count(*), count(*) filter (where c.failed), count(*) filter (where c.cost is null),
      sum(c.input), sum(c.cached), sum(c.output), coalesce(sum(c.cost), 0), sum(c.ms)
    from unnest(call_entries, providers, models, faileds, inputs, cacheds, outputs, costs, took)
      as c (n, provider, model, failed, input, cached, output, cost, ms) join ended as fence on fence.n = c.n
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (user_id, day, provider, model, part) do update set
      calls = present.calls + excluded.calls, errors = present.errors + excluded.errors,
      unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
      input_tokens = present.input_tokens + excluded.input_tokens,
      cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = present.output_tokens + excluded.output_tokens,
      cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds
  )
  select e.n::integer, 'ended', e.ended_at, s.id, s.runs from ended as e left join started as s on s.ended_id = e.id;
  get diagnostics answered = row_count;
  if answered < cardinality(turn_ids) then
    return query
    select s.n::integer, case when turns.attempt is distinct from s.attempt then 'lost'
        when turns.runner = self and turns.status = 'running' and s.id <> all(held) then 'busy'
        when turns.ended_at is not null then 'again' else 'lost' end,
      turns.ended_at, null::uuid, null::boolean
    from unnest(turn_ids, attempts) with ordinality as s (id, attempt, n) left join turns on turns.id = s.id
    where s.id <> all(held) or turns.attempt <> s.attempt or turns.status = 'running';
  end if;
end $$;
