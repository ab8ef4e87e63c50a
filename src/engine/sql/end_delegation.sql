-- Marks a delegation in the transaction that ends the run of the child, so that none is lost, or that opens its gate. It touches no
-- row of the parent: that goes on with `wake_parent`, in a transaction of its own. A steered turn is no end: its run goes on.
create or replace function end_delegation() returns trigger language plpgsql as $$
declare
  given_run uuid := coalesce(new.run, new.id); own record; below record;
begin
  if new.steered_by is not null or not exists (select from delegations where child_run = given_run and state <> 'ended') then
    return null;
  end if;
  if new.status = 'waiting' then
    update delegations set state = 'waiting' where child_run = given_run and state = 'active';
    return null;
  end if;
  select coalesce(sum((usage ->> 'inputTokens')::numeric + (usage ->> 'outputTokens')::numeric), 0) as tokens,
      coalesce(sum((usage -> 'cost' ->> 'inputUsd')::float8 + (usage -> 'cost' ->> 'outputUsd')::float8), 0) as usd into own
    from turns where (id = given_run or run = given_run) and usage is not null;
  select coalesce(sum(tokens_used), 0) as tokens, coalesce(sum(usd_used), 0) as usd into below
    from delegations where delegations.run = given_run;
  update delegations set state = 'ended', outcome = new.status, ended_at = clock_timestamp(),
      tokens_used = own.tokens + below.tokens, usd_used = own.usd + below.usd
    where child_run = given_run and state <> 'ended';
  return null;
end $$;
