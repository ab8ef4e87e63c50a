import { type Kysely, sql } from 'kysely';

/**
 * Turns without a separate queue: a turn is running from the statement that accepts it, a replica holds one lease for all
 * its turns, and `ready_at` marks the turns that wait for a replica. Every function is one statement for its caller, so a
 * client that freezes or dies never leaves a transaction open. docs/decisions/engine.md explains each lock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `seen_at` is the lease. Replicas of version 0.1 don't have one and are judged by their presence lock alone.
  await sql`alter table replicas add column seen_at timestamptz, add column application text`.execute(db);
  // Set exactly while a thread's active turn waits for a replica. It is the time of acceptance, so the oldest goes first.
  await sql`alter table turns add column ready_at timestamptz, add column broken integer not null default 0`.execute(
    db,
  );
  // The size of a thread's items, in bytes of JSON.
  await sql`alter table threads add column bytes bigint not null default 0`.execute(db);
  await sql`
    update threads set bytes = held.bytes
    from (select thread_id, sum(octet_length(body::text)) as bytes from items group by thread_id) as held
    where threads.id = held.thread_id`.execute(db);

  for (const definition of [CONTEXT, ACCEPT, APPEND, SETTLE, CLAIM, BURY, SPARE, SPARE_TRIGGER])
    await sql.raw(definition).execute(db);
}

export const indexes = [
  'turns_ready on turns (ready_at) where ready_at is not null',
  'gates_by_turn on gates (turn_id)',
  'jobs_by_thread on jobs (thread_id)',
];

/** The data a turn starts with, in one value. A thread of more than 64 KiB has `history: null`, and its history is read separately. */
const CONTEXT = `
create function turn_context(given_user text, given_thread uuid, given_seq integer) returns json language sql stable as $$
  select json_build_object(
    'limits', (select json_build_object('tokensPerDay', tokens_per_day, 'usdPerDay', usd_per_day)
      from budgets where budgets.user_id = given_user),
    'spent', (select json_build_object('tokens', coalesce(sum(input_tokens + output_tokens), 0)::float8, 'usd', coalesce(sum(cost_usd), 0))
      from usage_days where usage_days.user_id = given_user and day = (now() at time zone 'utc')::date),
    'notes', (select coalesce(json_agg(json_build_object('userId', notes.user_id, 'path', path, 'text', text)), '[]') from notes
      where (notes.user_id = given_user and path in ('identity/agent', 'identity/user'))
        or (notes.user_id = 'operator' and path = 'identity/agent')),
    'skills', (select coalesce(json_agg(json_build_object('userId', skills.user_id, 'name', name, 'description', description)), '[]')
      from skills where skills.user_id in (given_user, '*')),
    'secrets', (select string_agg(secrets.user_id || ' ' || name || ' ' || updated_at, ' ' order by secrets.user_id, name)
      from secrets where secrets.user_id in (given_user, '*')),
    'gateAhead', (select to_json(gate) from (
      select gates.id, thread_id as "threadId", turn_id as "turnId", kind, call from gates
      where gates.thread_id = given_thread and turn_seq < given_seq and (answered_seq is null or answered_seq > given_seq) limit 1
    ) as gate),
    'summary', (select to_json(newest) from (
      select through_seq as "throughSeq", through_position as "throughPosition", summaries.turn_seq as "turnSeq", text
      from summaries where summaries.thread_id = given_thread and summaries.user_id = given_user
      order by through_seq desc, through_position desc limit 1
    ) as newest),
    'history', case when given_seq = 1 or (select bytes from threads where threads.id = given_thread) <= 65536 then (
      select coalesce(json_agg(item order by item."turnSeq", item.position), '[]') from (
        select items.thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, items.id, items.attempt,
          body, items.usage, items.started_at as "startedAt"
        from items where items.thread_id = given_thread and items.user_id = given_user and turn_seq <= given_seq
          and turn_seq >= coalesce((select max(through_seq) from summaries
            where summaries.thread_id = given_thread and summaries.user_id = given_user), 0)
          and not exists (select from turns as other
            where other.refused and other.thread_id = given_thread and other.seq = items.turn_seq)
      ) as item) end)
$$`;

/**
 * Accepts inputs, and starts at once those whose thread is free, up to \`room\`. Outcomes: running, queued (behind another turn),
 * handed (free, but no room here), known (an earlier send of the same turn was stored), repeated (the key belongs to another
 * turn), busy (the thread is locked: retry), and the refusals unknown, gate, full and large.
 */
const ACCEPT = `
create function accept_turns(self uuid, room integer, max_waiting integer, max_bytes bigint,
  turn_ids uuid[], thread_ids uuid[], user_ids text[], channels text[], requests text[], catalogs text[], openings text[], previews text[],
  news boolean[], afters uuid[], keys text[], digests text[], lastings boolean[], are_jobs boolean[], names text[], metadatas text[], callbacks text[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[])
returns table (entry integer, outcome text, turn_id uuid, thread_id uuid, seq integer, created_at timestamptz, digest text, context json)
language plpgsql as $$
#variable_conflict use_column
declare
  begun uuid[] := '{}'; held uuid[] := '{}'; already uuid[] := '{}'; accepted uuid[] := '{}'; repeats integer[] := '{}';
  named record; answered integer;
begin
  -- KEY SHARE on the replica's row: either its burial waits and then finds these turns, or this call finds no row and writes nothing.
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;

  -- Rows that others may hold are taken in the order of their keys, so that two calls never wait for each other in a circle.
  if array_length(array_remove(keys, null), 1) > 0 then
    delete from idempotency_keys as old using unnest(user_ids, keys) as a (user_id, key)
      where old.user_id = a.user_id and old.key = a.key and old.created_at < now() - interval '24 hours' and not old.is_lasting;
    insert into idempotency_keys (user_id, key, digest, turn_id, is_lasting)
      select a.user_id, a.key, a.digest, a.turn_id, a.lasting
      from unnest(user_ids, keys, digests, turn_ids, lastings) as a (user_id, key, digest, turn_id, lasting)
      where a.key is not null order by a.user_id, a.key on conflict do nothing;
    select coalesce(array_agg(a.n::integer), '{}') into repeats
      from unnest(user_ids, keys, turn_ids) with ordinality as a (user_id, key, turn_id, n)
      join idempotency_keys as kept on kept.user_id = a.user_id and kept.key = a.key where kept.turn_id <> a.turn_id;
  end if;
  if array_length(array_remove(names, null), 1) > 0 then
    insert into conversations (user_id, name, thread_id)
      select a.user_id, a.name, a.thread_id from unnest(user_ids, names, thread_ids) with ordinality as a (user_id, name, thread_id, n)
      where a.name is not null and a.n <> all(repeats) order by a.user_id, a.name on conflict do nothing;
    for named in select a.n, conversations.thread_id from unnest(user_ids, names) with ordinality as a (user_id, name, n)
      join conversations on conversations.user_id = a.user_id and conversations.name = a.name
    loop
      news[named.n] := named.thread_id = thread_ids[named.n];
      thread_ids[named.n] := named.thread_id;
    end loop;
  end if;

  -- New threads get their final values at once. A conflict is an earlier send of the same input.
  with made as (
    insert into threads (id, user_id, last_seq, active, catalog, opening, preview, bytes)
    select a.thread_id, a.user_id, 1, a.turn_id, a.catalog::json, a.opening, a.preview,
      (select coalesce(sum(octet_length(i.body)), 0) from unnest(item_entries, bodies) as i (n, body) where i.n = a.n)
    from unnest(turn_ids, thread_ids, user_ids, catalogs, openings, previews, news) with ordinality
      as a (turn_id, thread_id, user_id, catalog, opening, preview, new, n)
    where a.new and a.n <> all(repeats) order by a.thread_id on conflict do nothing returning threads.id)
  select coalesce(array_agg(made.id), '{}') into begun from made;

  -- Known threads are locked in a separate statement: the next one then sees how their active turns ended. SKIP LOCKED: one
  -- locked thread never holds up the batch, and a call that never waits can't be part of a deadlock.
  if cardinality(begun) < cardinality(turn_ids) then
    held := array(select threads.id from threads where threads.id = any(thread_ids) and threads.id <> all(begun)
      order by threads.id for no key update skip locked);
    already := array(select turns.id from turns where turns.id = any(turn_ids));
  end if;

  return query
  with asked as (
    select a.*, threads.last_seq, threads.active, (a.new and a.thread_id = any(begun)) as begins,
      (select coalesce(sum(octet_length(i.body)), 0) from unnest(item_entries, bodies) as i (n, body) where i.n = a.n) as bytes
    from unnest(turn_ids, thread_ids, user_ids, channels, requests, catalogs, previews, news, afters, are_jobs, names, metadatas, callbacks)
      with ordinality as a (turn_id, thread_id, user_id, channel, request, catalog, preview, new, after, is_job, name, metadata, callback, n)
    join threads on threads.id = a.thread_id and threads.user_id = a.user_id
    where a.thread_id = any(begun || held) and a.turn_id <> all(already) and a.n <> all(repeats)
      and (a.thread_id = any(begun) or (threads.bytes <= max_bytes
        and not exists (select from gates where gates.thread_id = a.thread_id and answered_at is null)
        and (a.after is null or exists (select from turns where turns.id = a.after and turns.thread_id = a.thread_id))))
  ), counted as (
    select asked.*, row_number() over (partition by asked.thread_id, begins order by n) as nth,
      case when begins or active is null then 0 else (
        select count(*) from turns as q join turns as a on a.id = asked.active
        where q.thread_id = asked.thread_id and q.seq > a.seq and q.status = 'queued') end as waiting
    from asked
  ), placed as (
    select counted.*, case when begins then 1 else last_seq + nth::integer end as seq, begins or (active is null and nth = 1) as starts
    from counted where begins or waiting + nth - (active is null)::integer <= max_waiting
  ), ranked as (
    select placed.*, starts and count(*) filter (where starts) over (order by n) <= room as runs from placed
  ), put as (
    insert into turns (id, thread_id, user_id, seq, channel, request, status, runner, attempt, started_at, ready_at)
    select ranked.turn_id, ranked.thread_id, user_id, ranked.seq, channel, request::json, case when runs then 'running' else 'queued' end,
      case when runs then self end, case when runs then 0 else -1 end, case when runs then clock_timestamp() end, case when starts and not runs then now() end
    from ranked returning turns.id, turns.created_at
  ), said as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
    select ranked.thread_id, ranked.seq, i.position, i.id, ranked.turn_id, ranked.user_id, i.body::json
    from unnest(item_entries, positions, item_ids, bodies) as i (n, position, id, body) join ranked on ranked.n = i.n
  ), handled as (
    insert into jobs (id, user_id, thread_id, turn_id, status, conversation_id, metadata, callback_url, callback_status)
    select ranked.turn_id, user_id, ranked.thread_id, ranked.turn_id, case when runs then 'running' else 'queued' end, name, metadata::json,
      callback, case when callback is not null then 'pending' end
    from ranked where is_job
  ), moved as (
    update threads set last_seq = r.last, active = coalesce(threads.active, r.first), updated_at = now(), archived = false,
      bytes = threads.bytes + r.bytes, catalog = r.catalog::json,
      preview = coalesce(nullif(r.preview, ''), threads.preview), opening = coalesce(nullif(threads.opening, ''), r.preview)
    from (select ranked.thread_id, max(ranked.seq) as last, (array_agg(ranked.turn_id order by ranked.seq))[1] as first,
        sum(ranked.bytes) as bytes, (array_agg(ranked.catalog order by ranked.seq desc))[1] as catalog,
        (array_agg(ranked.preview order by ranked.seq desc))[1] as preview
      from ranked where not begins group by ranked.thread_id) as r
    where threads.id = r.thread_id
  )
  select ranked.n::integer, case when runs then 'running' when starts then 'handed' else 'queued' end, ranked.turn_id, ranked.thread_id,
    ranked.seq, put.created_at, null::text,
    -- This snapshot has everything earlier turns wrote, because they ended under the lock that is held here; the caller has the input.
    case when runs then turn_context(ranked.user_id, ranked.thread_id, ranked.seq) end
  from ranked join put on put.id = ranked.turn_id;

  get diagnostics answered = row_count;
  if answered < cardinality(turn_ids) then
    accepted := array(select turns.id from turns where turns.id = any(turn_ids));
    delete from idempotency_keys where idempotency_keys.turn_id = any(turn_ids) and idempotency_keys.turn_id <> all(accepted);
    return query
    select a.n::integer,
      case when a.n = any(repeats) then 'repeated'
        when a.turn_id = any(already) then 'known'
        when threads.id is null or (a.after is not null and after_turn.id is null) then 'unknown'
        when a.thread_id <> all(begun || held) then 'busy'
        when exists (select from gates where gates.thread_id = a.thread_id and answered_at is null) then 'gate'
        when threads.bytes > max_bytes then 'large'
        else 'full' end,
      coalesce(kept.turn_id, a.turn_id), a.thread_id, turns.seq, turns.created_at, kept.digest, null::json
    from unnest(turn_ids, thread_ids, user_ids, keys, afters) with ordinality as a (turn_id, thread_id, user_id, key, after, n)
    left join threads on threads.id = a.thread_id and threads.user_id = a.user_id
    left join turns on turns.id = a.turn_id
    left join turns as after_turn on after_turn.id = a.after and after_turn.thread_id = a.thread_id
    left join idempotency_keys as kept on kept.user_id = a.user_id and kept.key = a.key and a.n = any(repeats)
    where a.turn_id <> all(accepted) or a.turn_id = any(already);
  end if;
end $$`;

/** The parameters for model calls, and how they are counted. Rows of the ledger are locked in the order of their key. */
const CALLS = `call_entries integer[], providers text[], models text[], faileds boolean[], inputs bigint[], cacheds bigint[],
  outputs bigint[], costs float8[], took bigint[]`;
const countCalls = (fence: string) => `
    insert into usage_days as present (user_id, day, provider, model, part, calls, errors, unpriced_calls,
      input_tokens, cached_input_tokens, output_tokens, cost_usd, milliseconds)
    select fence.user_id, (now() at time zone 'utc')::date, c.provider, c.model, get_byte(uuid_send(self), 15) % 8,
      count(*), count(*) filter (where c.failed), count(*) filter (where c.cost is null),
      sum(c.input), sum(c.cached), sum(c.output), coalesce(sum(c.cost), 0), sum(c.ms)
    from unnest(call_entries, providers, models, faileds, inputs, cacheds, outputs, costs, took)
      as c (n, provider, model, failed, input, cached, output, cost, ms) join ${fence} as fence on fence.n = c.n
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (user_id, day, provider, model, part) do update set
      calls = present.calls + excluded.calls, errors = present.errors + excluded.errors,
      unpriced_calls = present.unpriced_calls + excluded.unpriced_calls,
      input_tokens = present.input_tokens + excluded.input_tokens,
      cached_input_tokens = present.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = present.output_tokens + excluded.output_tokens,
      cost_usd = present.cost_usd + excluded.cost_usd, milliseconds = present.milliseconds + excluded.milliseconds`;

/** Whether an entry of a batch continues its turn exactly where the table ends, so that a failover that lost commits leaves no gap. */
const CONTINUES = `(s.first is null or s.first = (
      select coalesce(max(position), -1) + 1 from items where items.thread_id = turns.thread_id and items.turn_seq = turns.seq))`;

/** Appends the items of running turns. Outcomes: written (now, or by an earlier send), busy (locked: retry), lost. */
const APPEND = `
create function append_items(self uuid, turn_ids uuid[], attempts integer[], firsts integer[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[], item_usages text[], starteds boolean[], ${CALLS})
returns table (entry integer, outcome text) language plpgsql as $$
#variable_conflict use_column
declare mine uuid[];
begin
  -- \`is not distinct from\`: with \`=\` the planner would walk the index of all running turns of this replica for each entry.
  mine := array(select turns.id from unnest(turn_ids, attempts) as s (id, attempt) join turns on turns.id = s.id and turns.attempt = s.attempt
    where turns.runner is not distinct from self and turns.status = 'running' order by turns.id for no key update of turns skip locked);
  return query
  with fits as (
    select turns.id, turns.thread_id, turns.seq, turns.user_id, turns.attempt, s.n
    from unnest(turn_ids, attempts, firsts) with ordinality as s (id, attempt, first, n)
    join turns on turns.id = s.id and turns.attempt = s.attempt where s.id = any(mine) and ${CONTINUES}
  ), put as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage, started_at)
    select f.thread_id, f.seq, i.position, i.id, f.id, f.user_id, f.attempt, i.body::json, i.usage::json, case when i.started then now() end
    from unnest(item_entries, positions, item_ids, bodies, item_usages, starteds) as i (n, position, id, body, usage, started)
    join fits as f on f.n = i.n
  ), counted as (${countCalls('fits')}
  )
  select s.n::integer, case when fits.id is not null then 'written'
    when s.id = any(mine) and exists (select from unnest(item_entries, item_ids) as i (n, id) join items on items.id = i.id
      join turns on turns.id = s.id and turns.thread_id = items.thread_id and turns.seq = items.turn_seq where i.n = s.n) then 'written'
    when s.id <> all(mine) and exists (select from turns
      where turns.id = s.id and turns.attempt = s.attempt and turns.runner = self and turns.status = 'running') then 'busy'
    else 'lost' end
  from unnest(turn_ids, attempts) with ordinality as s (id, attempt, n) left join fits on fits.n = s.n;
end $$`;

/**
 * Ends turns with their last items, and activates the next turn of their threads. Outcomes: ended, again (an earlier send was
 * stored), busy (locked: retry), lost. A successor that may run here is returned as \`next\`, already running.
 */
const SETTLE = `
create function settle_turns(self uuid, room integer, cancelled_job text,
  turn_ids uuid[], attempts integer[], statuses text[], failures text[], refuseds boolean[], usages text[], firsts integer[], grows bigint[],
  gate_ids uuid[], gate_kinds text[], gate_calls text[], gate_revisions text[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[], item_usages text[], starteds boolean[], ${CALLS})
returns table (entry integer, outcome text, ended_at timestamptz, next uuid, next_runs boolean) language plpgsql as $$
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
  crowded := exists (select from turns where ready_at is not null); -- no successor overtakes those who wait for a replica
  return query
  with fits as (
    -- The attempt once more: two attempts of one turn can meet in one batch, when a replica was buried and got its own turn back.
    select s.*, turns.thread_id from unnest(turn_ids, attempts, statuses, failures, refuseds, usages, firsts, grows, gate_kinds)
      with ordinality as s (id, attempt, status, failure, refused, usage, first, grows, gate, n)
    join turns on turns.id = s.id and turns.attempt = s.attempt where s.id = any(held) and ${CONTINUES}
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
    insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, revision)
    select g.id, e.thread_id, e.id, e.seq, e.user_id, g.kind, g.call::json, g.revision
    from unnest(gate_ids, gate_kinds, gate_calls, gate_revisions) with ordinality as g (id, kind, call, revision, n)
    join ended as e on e.n = g.n where g.id is not null
  ), followed as (
    update jobs set waiting_on = e.gate,
      status = case when e.gate is null then 'completed' else jobs.status end,
      failure = case when e.status = 'cancelled' then cancelled_job::json else e.failure end,
      completed_at = case when e.gate is null then e.ended_at end,
      callback_due_at = case when e.gate is null and callback_url is not null then e.ended_at end
    from ended as e where jobs.turn_id = e.id
  ), following as (
    select e.id as ended_id, q.id, row_number() over (order by e.n) <= room and not crowded as runs
    from ended as e cross join lateral (select turns.id from turns
      where turns.thread_id = e.thread_id and turns.seq > e.seq and turns.status = 'queued' order by turns.seq limit 1) as q
  ), started as (
    update turns set status = case when runs then 'running' else turns.status end, runner = case when runs then self end,
      attempt = turns.attempt + runs::integer, started_at = case when runs then moment end,
      ready_at = case when not runs then turns.created_at end
    from following where turns.id = following.id
    returning turns.id, following.ended_id, following.runs
  ), begun as (
    update jobs set status = 'running' from started where started.runs and jobs.turn_id = started.id and jobs.status = 'queued'
  ), passed as (
    update threads set active = s.id, bytes = threads.bytes + e.grows
    from ended as e left join started as s on s.ended_id = e.id where threads.id = e.thread_id
  ), counted as (${countCalls('ended')}
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
end $$`;

/**
 * Claims turns that wait for a replica, oldest first, and \`orphans\`: turns that run here according to the table but are
 * unknown to this process, because an answer was lost. Their process lives, so that attempt doesn't count as a crash.
 */
const CLAIM = `
create function claim_turns(self uuid, room integer, orphans uuid[]) returns setof uuid language plpgsql as $$
begin
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
  return query
  with waiting as (
    select turns.id from turns where ready_at <= now() order by ready_at limit room for no key update skip locked
  ), lost as (
    select turns.id from turns where turns.id = any(orphans) and turns.runner = self and turns.status = 'running' for no key update skip locked
  ), claimed as (
    update turns set status = 'running', runner = self, attempt = turns.attempt + 1, ready_at = null,
      handback = case when picked.is_lost then turns.attempt + 1 else turns.handback end, started_at = coalesce(turns.started_at, clock_timestamp())
    from (select waiting.id, false as is_lost from waiting union all select lost.id, true from lost) as picked where turns.id = picked.id
    returning turns.id
  ), begun as (
    update jobs set status = 'running' from claimed where jobs.turn_id = claimed.id and jobs.status = 'queued'
  )
  select claimed.id from claimed;
end $$`;

/**
 * Takes over from dead replicas. For the turns of \`crashed\` ones the lost attempt counts, because they may have caused the
 * crash; for a replica that was only silent for longer than the lease it does not.
 */
const BURY = `
create function bury_replicas(self uuid, crashed uuid[], lease interval) returns table (buried integer, moved integer) language plpgsql as $$
declare dead uuid[];
begin
  -- FOR UPDATE meets the KEY SHARE of calls of the dead that are under way, and shuts out later ones. SKIP LOCKED makes one
  -- undertaker of several. The presence lock is tried once more: its holder may be back.
  dead := array(select replicas.id from replicas where replicas.id <> self
    and (seen_at < now() - lease or (replicas.id = any(crashed) and pg_try_advisory_xact_lock(8247, lock_key::integer)))
    order by replicas.id for update skip locked);
  delete from replicas where replicas.id = any(dead);
  -- A separate statement, whose snapshot has everything the dead have started. Every turn without a replica is moved, so a turn
  -- that was locked in an earlier round is not forgotten. A replica's row is committed before its first turn.
  with stranded as (
    select turns.id from turns where status = 'running' and ready_at is null
      and not exists (select from replicas where replicas.id = turns.runner)
    order by turns.id for no key update of turns skip locked
  ), freed as (
    update turns set runner = null, ready_at = turns.created_at,
      handback = case when turns.runner = any(crashed) then turns.handback else turns.attempt + 1 end
    from stranded where turns.id = stranded.id returning 1
  )
  select cardinality(dead), (select count(*) from freed) into buried, moved;
  return next;
end $$`;

/**
 * Version 0.1 re-sends every active turn that has no entry in its queue, and turns no longer have one. While both versions run,
 * this keeps its sweep away from turns that run on a replica of this version or wait for one.
 */
const SPARE = `
create function spare_from_old_sweep() returns trigger language plpgsql as $$
begin
  if old.ready_at is not null or exists (select from replicas where replicas.id = old.runner and seen_at is not null) then
    return null;
  end if;
  return new;
end $$`;
const SPARE_TRIGGER = `
create trigger spare_from_old_sweep before update of attempt_base on turns for each row execute function spare_from_old_sweep()`;
