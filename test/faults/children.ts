/** How many children have ended how, and whether their reports were delivered. */
export const ENDS_OF_CHILDREN = `
  select state, outcome, delivered_at is not null as delivered, count(*)::integer as n from delegations group by 1, 2, 3`;

/** Calls of children without exactly one output. A run whose host has died too often is over, and writes none. */
export const MISCOUNTED_OUTPUTS = `
  select call from delegations join items as calls on calls.id = call left join items as outputs
    on outputs.thread_id = calls.thread_id and outputs.body ->> 'type' = 'function_call_output'
      and outputs.body ->> 'callId' = calls.body ->> 'callId'
  group by call, run having count(outputs.id) > 1 or count(outputs.id) = 0 and not exists (
    select from turns where (turns.id = delegations.run or turns.run = delegations.run) and failure ->> 'code' = 'interrupted')`;
