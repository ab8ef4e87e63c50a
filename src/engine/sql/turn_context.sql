-- The data a turn starts with, in one value. A thread of more than 64 KiB has `history: null`, and its history is read
-- separately.
create or replace function turn_context(given_user text, given_thread uuid, given_seq integer) returns json
language plpgsql stable as $$ begin return (
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
      select through_seq as "throughSeq", through_position as "throughPosition", summaries.turn_seq as "turnSeq", text, reads
      from summaries where summaries.thread_id = given_thread and summaries.user_id = given_user
        and not exists (select from turns as other
          where other.hidden and other.thread_id = given_thread and other.seq = summaries.through_seq)
      order by through_seq desc, through_position desc limit 1
    ) as newest),
    'history', case when given_seq = 1 or (select bytes from threads where threads.id = given_thread) <= 65536 then (
      select coalesce(json_agg(item order by item."turnSeq", item.position), '[]') from (
        select items.thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, items.id, items.attempt,
          body, items.usage, items.started_at as "startedAt"
        from items where items.thread_id = given_thread and items.user_id = given_user and turn_seq <= given_seq
          and turn_seq >= coalesce((select max(through_seq) from summaries
            where summaries.thread_id = given_thread and summaries.user_id = given_user
              and not exists (select from turns as other
                where other.hidden and other.thread_id = given_thread and other.seq = summaries.through_seq)), 0)
          and not exists (select from turns as other
            where (other.refused or other.hidden) and other.thread_id = given_thread and other.seq = items.turn_seq)
      ) as item) end)
); end $$;
