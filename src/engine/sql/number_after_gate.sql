-- The number of the turn that answers a gate: it comes before the messages that wait behind the gate, so that the output of the
-- call precedes them in every prompt. They move up by one. None of them has started, so only their input and a share refer to them;
-- the share ends before them, because it must not show the turn that comes between. Null when no message waits. The caller holds
-- the lock of the thread. They don't steer that turn, which has a call to run first.
create or replace function number_after_gate(given_thread uuid, owner text, gate_seq integer) returns integer language plpgsql as $$
declare first integer;
begin
  select min(seq) into first from turns
    where thread_id = given_thread and user_id = owner and seq > gate_seq and attempt < 0 and not refused;
  if first is null then return null; end if;
  -- Negative in between: a number can't be taken twice, not even during a statement.
  update turns set seq = -seq - 1, follows = null, steers = null where thread_id = given_thread and user_id = owner and seq >= first;
  update turns set seq = -seq where thread_id = given_thread and user_id = owner and seq < 0;
  update items set turn_seq = -turn_seq - 1 where thread_id = given_thread and user_id = owner and turn_seq >= first;
  update items set turn_seq = -turn_seq where thread_id = given_thread and user_id = owner and turn_seq < 0;
  update shares set through_seq = first - 1, through_position = 2147483647
    where thread_id = given_thread and user_id = owner and through_seq >= first;
  return first;
end $$;
