-- What a turn starts with that belongs to its user and not to its thread.
create or replace function user_context(owner text) returns json language plpgsql stable as $$ begin return (
  select json_build_object(
    'limits', (select json_build_object('tokensPerDay', tokens_per_day, 'usdPerDay', usd_per_day)
      from budgets where budgets.user_id = owner),
    'spent', (select json_build_object('tokens', coalesce(sum(input_tokens + output_tokens), 0)::float8, 'usd', coalesce(sum(cost_usd), 0))
      from usage_days where usage_days.user_id = owner and day = (now() at time zone 'utc')::date),
    'remembers', coalesce((select remembers from preferences where preferences.user_id = owner), true),
    'notes', (select coalesce(json_agg(json_build_object('userId', notes.user_id, 'path', path, 'text', text)), '[]') from notes
      where (notes.user_id = owner and path in ('identity/agent', 'identity/user'))
        or (notes.user_id = 'operator' and path = 'identity/agent')),
    'skills', (select coalesce(json_agg(json_build_object('userId', skills.user_id, 'name', name, 'description', description)), '[]')
      from skills where skills.user_id in (owner, '*')),
    'secrets', (select string_agg(secrets.user_id || ' ' || name || ' ' || updated_at, ' ' order by secrets.user_id, name)
      from secrets where secrets.user_id in (owner, '*')))
); end $$;
