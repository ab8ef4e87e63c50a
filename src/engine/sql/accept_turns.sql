-- Accepts inputs, and starts at once those whose thread is free, up to `room`, unless other turns wait for a replica. From its
-- commit on, an input can't be lost. For each input, in their order:
-- 1. Find the turn that has its idempotency key, and the thread that has its name.
-- 2. Create the thread, or lock it. SKIP LOCKED, and advisory locks that are only tried: a call that never waits can't be part of
--    a deadlock, and one locked thread never holds up the batch.
-- 3. Refuse what the thread can't take now. The statement that locks it comes first, so the next ones see how its turns ended.
-- 4. Decide whether it steers: then the active turn ends at its next step.
-- 5. Write the turn with its number. If it starts here, return its context, then write its items: the caller has them.
-- Outcomes: running, queued (behind another turn or an open gate), handed (free, but no room here), refused (`failure` is stored:
-- the turn never runs), known (an earlier send of the same turn was stored), repeated (the key belongs to another turn), busy (locked:
-- retry), and nothing stored: unknown, full, large, working (it would have to wait, and asks to be refused then), gate (only callers of
-- the model APIs, who wait for an answer, are refused at an open gate) and answered (the gate that the input answers is closed). Of a
-- queued turn: `ahead` counts the turns before it, `gate_kind` is what it waits for, and `steered` is the turn that it steers.
create or replace function accept_turns(self uuid, room integer, max_waiting integer, max_bytes bigint, inputs json)
returns table (entry integer, outcome text, turn_id uuid, thread_id uuid, seq integer, created_at timestamptz, digest text,
  of_user json, of_thread json, ahead integer, gate_kind text, steered uuid)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  a record; thread record; gate record; kept record; begins boolean; starts boolean; runs boolean; failed json; how text; project uuid;
  context_user text; context_of_user json;
begin
  if room > 0 then
    -- KEY SHARE on the replica's row: either a takeover waits and then finds these turns, or this call finds no row and writes nothing.
    perform from replicas where replicas.id = self for key share;
    if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
    -- No input overtakes those who wait for a replica: it waits with them, and `claim_turns` shares the room.
    if exists (select from turns where ready_at <= now()) then room := 0; end if;
  end if;

  for a in select * from json_to_recordset(inputs) as a (n integer, turn uuid, thread uuid, is_new boolean, owner text, channel text,
    request text, catalog text, opening text, preview text, bytes bigint, after uuid, key text, digest text, lasting boolean, try text,
    unstored boolean, is_job boolean, name text, metadata text, callback text, answers uuid, refused_at uuid, failure text,
    when_busy text, queues_at_gate boolean, temporary boolean, assistant uuid, project uuid, items json, texts json, uses json, versions json)
  loop
    entry := a.n; turn_id := a.turn; thread_id := a.thread; begins := a.is_new;
    seq := null; created_at := null; digest := null; of_user := null; of_thread := null;
    ahead := null; gate_kind := null; steered := null; how := null; project := null;
    <<decision>> begin
      outcome := 'busy';
      if a.key is not null then
        exit decision when not pg_try_advisory_xact_lock(hashtextextended(a.owner || ' ' || a.key, 1));
        select k.turn_id, k.digest, not k.is_lasting and k.created_at < now() - interval '24 hours' as expired into kept
          from idempotency_keys as k where k.user_id = a.owner and k.key = a.key;
        if found and not kept.expired and kept.turn_id <> a.turn then
          outcome := 'repeated'; turn_id := kept.turn_id; digest := kept.digest;
          exit decision;
        end if;
      end if;
      if a.name is not null then
        exit decision when not pg_try_advisory_xact_lock(hashtextextended(a.owner || ' ' || a.name, 2));
        select c.thread_id into kept from conversations as c where c.user_id = a.owner and c.name = a.name;
        if found then thread_id := kept.thread_id; begins := false; end if;
      end if;

      if begins then
        exit decision when not pg_try_advisory_xact_lock(uuid_hash_extended(a.turn, 3)); -- an earlier send of it may be under way
        if a.project is not null then -- one that was deleted meanwhile is left out
          select id into project from folders where user_id = a.owner and id = a.project for key share skip locked;
        end if;
        insert into threads (id, user_id, last_seq, active, catalog, opening, preview, bytes, temporary, folder_id)
          values (thread_id, a.owner, 1, case when a.failure is null then a.turn end, a.catalog::json, a.opening, a.preview, a.bytes,
            coalesce(a.temporary, false), project)
          on conflict do nothing;
        begins := found;
      end if;
      if begins then
        failed := a.failure::json; starts := a.failure is null; seq := 1;
        if a.name is not null then
          insert into conversations (user_id, name, thread_id) values (a.owner, a.name, thread_id);
        end if;
      else
        select t.last_seq, t.active, t.bytes into thread from threads as t where t.id = thread_id and t.user_id = a.owner
          for no key update skip locked;
        if not found then
          if not exists (select from threads as t where t.id = thread_id and t.user_id = a.owner) then outcome := 'unknown'; end if;
          exit decision;
        end if;
        if exists (select from turns where turns.id = a.turn) then outcome := 'known'; exit decision; end if;
        exit decision when a.versions is not null and take_workspace(thread_id, a.owner, null) = 'busy';
        if a.after is not null and (not exists (select from turns as t where t.id = a.after and t.thread_id = accept_turns.thread_id)
          or exists (select from unstored_turns as u where u.turn_id = a.after and u.delivered_at is not null))
        then outcome := 'unknown'; exit decision; end if;
        select g.id, g.turn_id, g.turn_seq, g.kind into gate from gates as g
          where g.thread_id = accept_turns.thread_id and g.answered_at is null;
        failed := case when gate.id = a.refused_at then a.failure end;
        starts := thread.active is null and failed is null and (gate.id is null or a.answers is not null);
        if a.answers is not null then
          if gate.id is distinct from a.answers then outcome := 'answered'; exit decision; end if;
        elsif failed is null then
          if gate.id is not null and a.channel in ('responses', 'chat-completions') and a.queues_at_gate is not true
          then outcome := 'gate'; exit decision; end if;
          if thread.bytes > max_bytes then outcome := 'large'; exit decision; end if;
          if not starts then
            if a.when_busy = 'refuse' then outcome := 'working'; exit decision; end if;
            select count(*) into ahead from turns as q where q.thread_id = accept_turns.thread_id and q.status = 'queued'
              and q.seq > coalesce((select t.seq from turns as t where t.id = thread.active), gate.turn_seq);
            if ahead >= max_waiting then outcome := 'full'; exit decision; end if;
            ahead := ahead + (thread.active is not null)::integer; gate_kind := gate.kind;
            how := a.when_busy;
            if how = 'preferred' then
              how := coalesce((select p.when_busy from preferences as p where p.user_id = a.owner), 'steer');
            end if;
            if how in ('steer', 'now') and thread.active is not null then
              steered := steer_active(thread_id, a.owner, thread.last_seq + 1);
            end if;
          end if;
        end if;
        seq := thread.last_seq + 1;
        if a.answers is not null then
          if starts then seq := coalesce(number_after_gate(thread_id, a.owner, gate.turn_seq), seq); end if;
          update gates set answered_at = now(), answered_seq = accept_turns.seq where gates.id = gate.id;
          update jobs set turn_id = a.turn, waiting_on = null where jobs.turn_id = gate.turn_id;
        end if;
        update threads as t set last_seq = t.last_seq + 1, active = case when starts then a.turn else t.active end, updated_at = now(),
          archived = false, bytes = t.bytes + a.bytes, catalog = case when failed is null then a.catalog::json else t.catalog end,
          preview = coalesce(nullif(a.preview, ''), t.preview), opening = coalesce(nullif(t.opening, ''), a.preview)
          where t.id = thread_id;
      end if;

      runs := starts and room > 0;
      insert into turns (id, thread_id, user_id, seq, channel, request, status, failure, refused, runner, attempt, started_at, ready_at,
          ended_at, steers, assistant)
        values (a.turn, thread_id, a.owner, seq, a.channel, a.request::json,
          case when failed is not null then 'failed' when runs then 'running' else 'queued' end, failed, failed is not null,
          case when runs then self end, case when runs then 0 else -1 end, case when runs then clock_timestamp() end,
          case when starts and not runs then now() end, case when failed is not null then now() end,
          case when steered is not null then case how when 'now' then how else 'step' end end, a.assistant)
        returning turns.created_at into created_at;
      if runs then
        room := room - 1;
        if context_user is distinct from a.owner then context_user := a.owner; context_of_user := user_context(a.owner); end if;
        of_user := context_of_user;
        if not begins or project is not null then of_thread := thread_context(a.owner, thread_id, seq); end if;
      end if;
      if a.items is not null then perform write_items(thread_id, a.turn, seq, a.owner, null, a.items, a.texts, a.uses, a.versions); end if;
      if a.key is not null then
        insert into idempotency_keys (user_id, key, digest, turn_id, is_lasting) values (a.owner, a.key, a.digest, a.turn, a.lasting)
          on conflict (user_id, key) do update set digest = excluded.digest, turn_id = excluded.turn_id, created_at = now();
      end if;
      if a.try is not null then
        insert into request_tries (turn_id, user_id, digest) values (a.turn, a.owner, a.try) on conflict do nothing;
      end if;
      if a.unstored then insert into unstored_turns (turn_id, user_id) values (a.turn, a.owner); end if;
      if a.is_job then
        insert into jobs (id, user_id, thread_id, turn_id, status, conversation_id, metadata, callback_url)
          values (a.turn, a.owner, thread_id, a.turn, case when runs then 'running' else 'queued' end, a.name, a.metadata::json, a.callback);
      end if;
      outcome := case when failed is not null then 'refused' when runs then 'running' when starts then 'handed' else 'queued' end;
    end;
    return next;
  end loop;
end $$;
