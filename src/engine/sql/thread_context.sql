-- What a turn starts with that belongs to its thread. A thread of more than 64 KiB has `history: null`, and its history is read
-- separately.
create or replace function thread_context(owner text, given_thread uuid, given_seq integer) returns json
language plpgsql stable as $$ begin return (
  select json_build_object(
    'temporary', thread.temporary,
    'compactAsked', thread.compact_asked_at is not null,
    'project', case when thread.folder_id is not null then project_context(owner, thread.folder_id) end,
    'gateAhead', (select to_json(gate) from (
      select gates.id, thread_id as "threadId", turn_id as "turnId", kind, call from gates
      where gates.thread_id = given_thread and turn_seq < given_seq and (answered_seq is null or answered_seq > given_seq) limit 1
    ) as gate),
    'summary', (select to_json(newest) from (
      select through_seq as "throughSeq", through_position as "throughPosition", summaries.turn_seq as "turnSeq", text, reads
      from summaries where summaries.thread_id = given_thread and summaries.user_id = owner
        and not exists (select from turns as other
          where other.hidden and other.thread_id = given_thread and other.seq = summaries.through_seq)
      order by through_seq desc, through_position desc limit 1
    ) as newest),
    'history', case when given_seq = 1 or thread.bytes <= 65536 then (
      select coalesce(json_agg(item order by item."turnSeq", item.position), '[]') from (
        select items.thread_id as "threadId", turn_id as "turnId", turn_seq as "turnSeq", position, items.id, items.attempt,
          body, items.usage, items.started_at as "startedAt"
        from items where items.thread_id = given_thread and items.user_id = owner and turn_seq <= given_seq
          and turn_seq >= coalesce((select max(through_seq) from summaries
            where summaries.thread_id = given_thread and summaries.user_id = owner
              and not exists (select from turns as other
                where other.hidden and other.thread_id = given_thread and other.seq = summaries.through_seq)), 0)
          and not exists (select from turns as other
            where (other.refused or other.hidden) and other.thread_id = given_thread and other.seq = items.turn_seq)
      ) as item) end)
  from (select) as always left join threads as thread on thread.id = given_thread
); end $$;
