-- Accepts inputs, and starts at once those whose thread is free, up to `room`, unless other turns wait for a replica. From its
-- commit on, an input can't be lost.
-- Outcomes: running, queued (behind another turn or an open gate), handed (free, but no room here), known (an earlier send of the
-- same turn was stored), repeated (the key belongs to another turn), busy (the thread is locked: retry), and the refusals unknown,
-- full, large and gate: only callers of the model APIs, who wait for an answer, are refused at an open gate.
create or replace function accept_turns(self uuid, room integer, max_waiting integer, max_bytes bigint,
  turn_ids uuid[], thread_ids uuid[], user_ids text[], channels text[], requests text[], catalogs text[], openings text[], previews text[],
  news boolean[], afters uuid[], keys text[], digests text[], lastings boolean[], are_jobs boolean[], names text[], metadatas text[], callbacks text[],
  item_entries integer[], positions integer[], item_ids uuid[], bodies text[])
returns table (entry integer, outcome text, turn_id uuid, thread_id uuid, seq integer, created_at timestamptz, digest text, context json)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  begun uuid[] := '{}'; held uuid[] := '{}'; already uuid[] := '{}'; accepted uuid[] := '{}'; repeats integer[] := '{}';
  named record; answered integer;
begin
  -- KEY SHARE on the replica's row: either its burial waits and then finds these turns, or this call finds no row and writes nothing.
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
  -- No input overtakes those who wait for a replica: it waits with them, and `claim_turns` shares the room.
  if room > 0 and exists (select from turns where ready_at <= now()) then room := 0; end if;

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
    select a.*, threads.last_seq, threads.active, gate.seq as gate_seq, (a.new and a.thread_id = any(begun)) as begins,
      (select coalesce(sum(octet_length(i.body)), 0) from unnest(item_entries, bodies) as i (n, body) where i.n = a.n) as bytes
    from unnest(turn_ids, thread_ids, user_ids, channels, requests, catalogs, previews, news, afters, are_jobs, names, metadatas, callbacks)
      with ordinality as a (turn_id, thread_id, user_id, channel, request, catalog, preview, new, after, is_job, name, metadata, callback, n)
    join threads on threads.id = a.thread_id and threads.user_id = a.user_id
    left join lateral (select gates.turn_seq as seq from gates
      where a.thread_id <> all(begun) and gates.thread_id = a.thread_id and answered_at is null) as gate on true
    where a.thread_id = any(begun || held) and a.turn_id <> all(already) and a.n <> all(repeats)
      and (a.thread_id = any(begun) or (threads.bytes <= max_bytes
        and (gate.seq is null or a.channel not in ('responses', 'chat-completions'))
        and (a.after is null or exists (select from turns where turns.id = a.after and turns.thread_id = a.thread_id))))
  ), counted as (
    select asked.*, row_number() over (partition by asked.thread_id, begins order by n) as nth,
      case when begins or (active is null and gate_seq is null) then 0 else (
        select count(*) from turns as q where q.thread_id = asked.thread_id and q.status = 'queued'
          and q.seq > coalesce((select a.seq from turns as a where a.id = asked.active), gate_seq)) end as waiting
    from asked
  ), placed as (
    select counted.*, case when begins then 1 else last_seq + nth::integer end as seq, begins or (active is null and gate_seq is null and nth = 1) as starts
    from counted where begins or waiting + nth - (active is null and gate_seq is null)::integer <= max_waiting
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
    insert into jobs (id, user_id, thread_id, turn_id, status, conversation_id, metadata, callback_url)
    select ranked.turn_id, user_id, ranked.thread_id, ranked.turn_id, case when runs then 'running' else 'queued' end, name, metadata::json,
      callback
    from ranked where is_job
  ), moved as (
    update threads set last_seq = r.last, active = coalesce(threads.active, r.first), updated_at = now(), archived = false,
      bytes = threads.bytes + r.bytes, catalog = r.catalog::json,
      preview = coalesce(nullif(r.preview, ''), threads.preview), opening = coalesce(nullif(threads.opening, ''), r.preview)
    from (select ranked.thread_id, max(ranked.seq) as last, (array_agg(ranked.turn_id order by ranked.seq) filter (where starts))[1] as first,
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
      case when kept.turn_id is not null then 'repeated'
        -- The turn that had the key was refused. The same body is refused like it; another body was not looked at yet.
        when a.n = any(repeats) and exists (select from unnest(user_ids, keys, digests) as other (user_id, key, digest)
          where other.user_id = a.user_id and other.key = a.key and other.digest <> digests[a.n]) then 'busy'
        when a.turn_id = any(already) then 'known'
        when threads.id is null or (a.after is not null and after_turn.id is null) then 'unknown'
        when a.thread_id <> all(begun || held) then 'busy'
        when a.channel in ('responses', 'chat-completions')
          and exists (select from gates where gates.thread_id = a.thread_id and answered_at is null) then 'gate'
        when threads.bytes > max_bytes then 'large'
        else 'full' end,
      coalesce(kept.turn_id, a.turn_id), a.thread_id, turns.seq, turns.created_at, kept.digest, null::json
    from unnest(turn_ids, thread_ids, user_ids, channels, keys, afters) with ordinality
      as a (turn_id, thread_id, user_id, channel, key, after, n)
    left join threads on threads.id = a.thread_id and threads.user_id = a.user_id
    left join turns on turns.id = a.turn_id
    left join turns as after_turn on after_turn.id = a.after and after_turn.thread_id = a.thread_id
    left join idempotency_keys as kept on kept.user_id = a.user_id and kept.key = a.key and a.n = any(repeats)
    where a.turn_id <> all(accepted) or a.turn_id = any(already);
  end if;
end $$;
