-- Appends the items of running turns, and counts their model calls. An entry is written only if its attempt still runs on this
-- replica and continues the turn exactly where the table ends, so that a failover that lost commits leaves no gap. Outcomes: written
-- (now, or by an earlier send), busy (locked: retry), stale (its version of the workspace is not based on the newest one), lost. `call_id` identifies a repeated send of a call without items.
-- `delivers`: the calls whose children have ended and whose reports are among the items: both are written, or neither.
create or replace function append_items(self uuid, entries json) returns table (entry integer, outcome text)
language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare e record; turn record; position_after integer; owners text[] := '{}'; counted json[] := '{}';
begin
  for e in select * from json_to_recordset(entries)
    as e (n integer, turn uuid, attempt integer, first integer, call_id uuid, calls json, items json, texts json, uses json, versions json, sources json,
      delivers json)
  loop
    entry := e.n;
    -- `is not distinct from`: with `=` the planner would walk the index of all running turns of this replica for each entry.
    select t.thread_id, t.seq, t.user_id, t.counted_calls into turn from turns as t
      where t.id = e.turn and t.attempt = e.attempt and t.runner is not distinct from self and t.status = 'running'
      for no key update skip locked;
    if not found then
      outcome := case when exists (select from turns as t
        where t.id = e.turn and t.attempt = e.attempt and t.runner = self and t.status = 'running') then 'busy' else 'lost' end;
      return next;
      continue;
    end if;
    select coalesce(max(position), -1) + 1 into position_after from items where items.thread_id = turn.thread_id and items.turn_seq = turn.seq;
    outcome := 'written';
    if e.call_id = any(turn.counted_calls) then
      null; -- counted by an earlier send
    elsif e.first = position_after then
      if e.versions is not null then
        select take_workspace(coalesce((v ->> 'workspace')::uuid, turn.thread_id), turn.user_id, (v ->> 'base')::integer) into outcome
          from json_array_elements(e.versions) as v;
        if outcome <> 'free' then
          return next;
          continue;
        end if;
        outcome := 'written';
      end if;
      if e.items is not null then
        perform write_items(turn.thread_id, e.turn, turn.seq, turn.user_id, e.attempt, e.items, e.texts, e.uses, e.versions, e.sources);
      end if;
      if e.delivers is not null then
        update delegations set delivered_at = now() where delivered_at is null
          and call = any(array(select value::uuid from json_array_elements_text(e.delivers)));
      end if;
      if e.call_id is not null then update turns set counted_calls = counted_calls || e.call_id where turns.id = e.turn; end if;
      if e.calls is not null then owners := owners || turn.user_id; counted := counted || e.calls; end if;
    elsif e.items is null or not exists (select from items where items.thread_id = turn.thread_id and items.turn_seq = turn.seq
      and items.id = (e.items -> 0 ->> 'id')::uuid)
    then
      outcome := 'lost';
    end if;
    return next;
  end loop;
  if cardinality(owners) > 0 then perform count_calls(self, owners, counted); end if;
end $$;
