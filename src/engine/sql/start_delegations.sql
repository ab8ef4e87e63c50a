-- Starts children of a running turn: for each call a thread, its first turn, and the row that binds it to the call. Nothing is
-- written unless the attempt still runs on this replica and the turn is not being cancelled, so no child starts during a stop.
-- 1. Lock the turn, and try the lock of its tree: turns of other runs of the tree may start children at this moment.
-- 2. Refuse what exceeds the limits: the depth, the children at work and in all of this run, and those of the tree.
-- 3. Set the budget aside: of what the run has left, less what its children hold or have used. A child that names no budget gets
--    at most a half, so that something is left for the others and for the run itself.
-- 4. Write the thread, the turn, its input and the delegation, and mark the call as started.
-- Outcomes: started, known (an earlier send was stored), depth, active, run, tree, budget, cancelled, busy (locked: retry), lost.
-- `tokens_left` and `usd_left` are what the limits of the run leave without its children; null without a limit.
create or replace function start_delegations(self uuid, given_turn uuid, given_attempt integer, limits json, entries json)
returns table (entry integer, outcome text) language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  e record; l record; turn record; held record; own_root uuid; tokens numeric; usd double precision;
begin
  select * into l from json_to_record(limits) as l (depth integer, active integer, run integer, tree integer,
    tokens bigint, tokens_left bigint, usd_left double precision);
  select t.thread_id, t.user_id, coalesce(t.run, t.id) as run, coalesce(t.tree, t.run, t.id) as tree, t.tree is null as is_first,
      t.cancel_reason, threads.depth, coalesce(threads.root, threads.id) as root, threads.temporary, threads.folder_id into turn
    from turns as t join threads on threads.id = t.thread_id
    where t.id = given_turn and t.attempt = given_attempt and t.runner is not distinct from self and t.status = 'running'
    for no key update of t;
  for e in select * from json_to_recordset(entries) as e (n integer, call uuid, thread uuid, turn uuid, request text, opening text,
    bytes bigint, tokens bigint, items json)
  loop
    entry := e.n;
    <<decision>> begin
      if turn.thread_id is null then outcome := 'lost'; exit decision; end if;
      outcome := 'known';
      exit decision when exists (select from delegations as d where d.call = e.call);
      outcome := 'cancelled';
      exit decision when turn.cancel_reason is not null;
      outcome := 'busy';
      exit decision when not pg_try_advisory_xact_lock(uuid_hash_extended(turn.tree, 4));
      outcome := 'depth';
      exit decision when turn.depth >= l.depth;
      select count(*) as total, count(*) filter (where d.state <> 'ended') as active,
          coalesce(sum(case when d.state = 'ended' then d.tokens_used else d.tokens_limit end), 0) as tokens,
          coalesce(sum(case when d.state = 'ended' then d.usd_used else coalesce(d.usd_limit, 0) end), 0) as usd into held
        from delegations as d where d.run = turn.run;
      outcome := 'active';
      exit decision when held.active >= l.active;
      outcome := 'run';
      exit decision when held.total >= l.run;
      outcome := 'tree';
      exit decision when (select count(*) from delegations as d where d.tree = turn.tree) >= l.tree;
      tokens := least(coalesce(e.tokens, l.tokens), l.tokens,
        case when e.tokens is null then floor((l.tokens_left - held.tokens) / 2) else l.tokens_left - held.tokens end);
      usd := (l.usd_left - held.usd) / 2;
      outcome := 'budget';
      exit decision when tokens <= 0 or usd <= 0;

      outcome := 'started';
      insert into threads (id, user_id, last_seq, active, opening, preview, bytes, temporary, folder_id, parent, root, depth)
        values (e.thread, turn.user_id, 1, e.turn, e.opening, e.opening, e.bytes, turn.temporary, turn.folder_id, turn.thread_id, turn.root, turn.depth + 1);
      insert into turns (id, thread_id, user_id, seq, channel, request, status, ready_at, tree)
        values (e.turn, e.thread, turn.user_id, 1, 'gateway', e.request::json, 'queued', now(), turn.tree);
      perform write_items(e.thread, e.turn, 1, turn.user_id, null, e.items, null, null, null);
      insert into delegations (call, user_id, thread_id, run, tree, child_thread_id, child_run, tokens_limit, usd_limit)
        values (e.call, turn.user_id, turn.thread_id, turn.run, turn.tree, e.thread, e.turn, tokens, usd);
      if turn.is_first then -- the later turns of the run get it from the first one
        update turns set tree = turn.tree where turns.id in (given_turn, turn.run);
        turn.is_first := false;
      end if;
      update items set started_at = coalesce(started_at, now()) where items.id = e.call;
    end;
    return next;
  end loop;
end $$;
