-- Ends turns with their last items, and activates the next turn of their threads. For each turn:
-- 1. Lock it with its thread. An input that was accepted before is committed, and the locked thread counts it; one that comes
--    later finds the thread locked, or free, or with its successor. There is no fourth case.
-- 2. Find its successor, the next queued turn of the thread. While a gate is open, the thread has no active turn and its messages stay
--    queued: the turn that continues after the gate comes before them. The successor of a steered turn continues its run.
-- 3. Open its gate, end it, and write its items and its job.
-- 4. Start the successor here, if there is room, or let it wait for a replica.
-- Outcomes: ended, again (an earlier send was stored), busy (locked: retry), lost, and nothing is written: steered (a message came before
-- the gate opened, and `yields` says that the gate is for it), unsteered (the message that steered it was withdrawn, or the turn was
-- cancelled first), cancelled (before the gate opened). `next` is the successor.
create or replace function settle_turns(self uuid, room integer, cancelled_job text, ends json)
returns table (entry integer, outcome text, ended_at timestamptz, next uuid, next_runs boolean, steered_by uuid)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare e record; turn record; owners text[] := '{}'; counted json[] := '{}';
begin
  for e in select * from json_to_recordset(ends) as e (n integer, turn uuid, attempt integer, status text, failure text, refused boolean,
    usage text, first integer, grows bigint, gate uuid, gate_kind text, gate_call text, gate_revision text, gate_facts text,
    calls json, items json, texts json, uses json, yields boolean, steered boolean)
  loop
    entry := e.n; next := null; next_runs := null; ended_at := null; steered_by := null;
    select t.thread_id, t.seq, t.user_id, coalesce(t.run, t.id) as run, t.tree, t.cancel_reason, threads.last_seq into turn from turns as t join threads on threads.id = t.thread_id
      where t.id = e.turn and t.attempt = e.attempt and t.runner is not distinct from self and t.status = 'running'
      for no key update of threads, t skip locked;
    if not found then
      select case when t.attempt <> e.attempt then 'lost' when t.runner = self and t.status = 'running' then 'busy'
          when t.ended_at is not null then 'again' else 'lost' end as outcome, t.ended_at, t.steered_by into turn
        from turns as t where t.id = e.turn;
      outcome := coalesce(turn.outcome, 'lost'); ended_at := turn.ended_at; steered_by := turn.steered_by;
      return next;
      continue;
    end if;
    if e.first <> (select coalesce(max(position), -1) + 1 from items
      where items.thread_id = turn.thread_id and items.turn_seq = turn.seq)
    then
      outcome := 'lost';
      return next;
      continue;
    end if;
    if e.gate is not null and turn.cancel_reason = 'cancelled' then
      outcome := 'cancelled';
      return next;
      continue;
    end if;
    if (e.yields or e.steered) and e.steered is not true = (turn.cancel_reason is null and exists (select from turns as t
      where t.thread_id = turn.thread_id and t.seq > turn.seq and t.status = 'queued' and t.steers is not null))
    then
      outcome := case when e.steered then 'unsteered' else 'steered' end;
      return next;
      continue;
    end if;
    if e.gate is null and turn.last_seq > turn.seq then
      select t.id into next from turns as t where t.thread_id = turn.thread_id and t.seq > turn.seq and t.status = 'queued'
        and not exists (select from gates where gates.thread_id = turn.thread_id and answered_at is null) order by t.seq limit 1;
    end if;
    if e.steered then steered_by := next; end if;

    -- Read under the locks: now() is when the transaction began, which may be before the turn ahead ended.
    outcome := 'ended'; ended_at := clock_timestamp();
    if e.gate is not null then
      insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call, revision, asked) values (e.gate, turn.thread_id,
        e.turn, turn.seq, turn.user_id, e.gate_kind, e.gate_call::json, e.gate_revision, e.gate_facts::json);
    end if;
    update turns set status = e.status, failure = e.failure::json, refused = e.refused, usage = e.usage::json, runner = null,
      ended_at = settle_turns.ended_at, steered_by = settle_turns.steered_by where turns.id = e.turn;
    if e.items is not null then
      perform write_items(turn.thread_id, e.turn, turn.seq, turn.user_id, e.attempt, e.items, e.texts, e.uses, null);
    end if;
    update jobs set waiting_on = e.gate_kind, turn_id = coalesce(settle_turns.steered_by, e.turn),
      status = case when e.gate is null and settle_turns.steered_by is null then 'completed' else jobs.status end,
      failure = case when e.status = 'cancelled' then cancelled_job::json else e.failure::json end,
      completed_at = case when e.gate is null and settle_turns.steered_by is null then settle_turns.ended_at end
      where jobs.id = turn.run;

    if next is not null then
      next_runs := room > 0 and not exists (select from turns where ready_at <= now()); -- it overtakes nobody who waits for a replica
      if next_runs then
        room := room - 1;
        -- As in accept_turns: a takeover must not miss the turn that starts here.
        perform from replicas where replicas.id = self for key share;
        if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
        update jobs set status = 'running' where jobs.turn_id = settle_turns.next and jobs.status = 'queued';
      end if;
      update turns as t set status = case when next_runs then 'running' else t.status end, runner = case when next_runs then self end,
        attempt = t.attempt + next_runs::integer, started_at = case when next_runs then settle_turns.ended_at end,
        ready_at = case when not next_runs then least(t.created_at, now()) end,
        run = case when e.steered then turn.run else t.run end, tree = case when e.steered then turn.tree else t.tree end where t.id = settle_turns.next;
    end if;
    update threads set active = settle_turns.next, bytes = threads.bytes + e.grows where threads.id = turn.thread_id;
    if e.calls is not null then owners := owners || turn.user_id; counted := counted || e.calls; end if;
    return next;
  end loop;
  if cardinality(owners) > 0 then perform count_calls(self, owners, counted); end if;
end $$;
