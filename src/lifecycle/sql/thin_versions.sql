-- Looks at `most` workspaces after the given one, and removes up to `most_versions` of their versions that are older than the limit: all
-- but the newest one of each day, the newest of all, and those that an item names. A version holds only what it changed, so what a
-- removed version changed moves to the next version that stays, unless that one changed the same file. IDs begin with their time of
-- creation, so the caller limits the search with `before`.
create or replace function thin_versions(after uuid, before uuid, everyones_days integer, most integer, most_versions integer)
returns table (looked integer, last uuid, gone integer) language plpgsql set enable_seqscan = off as $$
declare
  page uuid[]; held uuid[]; spaces uuid[]; numbers integer[];
begin
  page := array(select id from workspaces where id > after and id < before order by id limit most);
  select array_agg(old.workspace_id), array_agg(old.version) into spaces, numbers from (
    select v.workspace_id, v.version from (
      select workspace_id, version, item_id, created_at, (created_at at time zone 'utc')::date as day,
        (lead(created_at) over (partition by workspace_id order by version) at time zone 'utc')::date as next_day
      from workspace_versions where workspace_id = any(page)
    ) as v
    join workspaces on workspaces.id = v.workspace_id
    left join retention as own on own.user_id = workspaces.user_id and own.kind = 'versions'
    where v.day = v.next_day
      and v.created_at < now() - make_interval(days => case when own.user_id is null then everyones_days else own.days end)
      and not exists (select from items where items.id = v.item_id)
    order by v.workspace_id, v.version limit most_versions
  ) as old;
  -- Someone is writing a version of one that is locked; it can wait.
  held := array(select id from workspaces where id = any(spaces) order by id for no key update skip locked);
  select array_agg(d.space), array_agg(d.number) into spaces, numbers
    from unnest(spaces, numbers) as d (space, number) where d.space = any(held);
  with placed as (
    select v.workspace_id, v.version, d.number is not null as is_removed,
      min(v.version) filter (where d.number is null) over (partition by v.workspace_id order by v.version desc) as next_kept
    from workspace_versions as v
    left join unnest(spaces, numbers) as d (space, number) on d.space = v.workspace_id and d.number = v.version
    where v.workspace_id = any(held)
  ), newest as (
    select distinct on (f.workspace_id, f.path, p.next_kept) f.workspace_id, f.path, f.version, p.next_kept
    from workspace_files as f join placed as p on p.workspace_id = f.workspace_id and p.version = f.version
    where p.is_removed order by f.workspace_id, f.path, p.next_kept, f.version desc
  )
  update workspace_files as f set version = n.next_kept from newest as n
    where f.workspace_id = n.workspace_id and f.path = n.path and f.version = n.version
      and not exists (select from workspace_files as k
        where k.workspace_id = n.workspace_id and k.path = n.path and k.version = n.next_kept);
  delete from workspace_files as f using unnest(spaces, numbers) as d (space, number)
    where f.workspace_id = d.space and f.version = d.number;
  delete from workspace_versions as v using unnest(spaces, numbers) as d (space, number)
    where v.workspace_id = d.space and v.version = d.number;
  return query select cardinality(page), page[cardinality(page)], coalesce(cardinality(numbers), 0);
end $$;
