-- Claims turns that wait for a replica, and `orphans`: turns that run here according to the table but are unknown to this
-- process, because an answer was lost. Their process lives, so that attempt doesn't count as a crash. A turn that was cancelled
-- while it waits may be named there too: it needs no room, because it is only closed.
--
-- The room is shared equally between the users who wait:
-- 1. Walk along the index from one waiting user to the next. Of more than 64, begin at a random one, so that each has a chance.
-- 2. Number the waiting turns of each user, oldest first, from the places that the user holds here (`holders`, `helds`) on.
-- 3. Take the lowest numbers, and of equal ones the oldest turn. A number above `most` would exceed the share of one user.
-- More turns are looked at than are claimed, because other replicas may claim some of them at the same moment. `trees`: the replica
-- knows children, and takes their turns and those that wait for them.
create or replace function claim_turns_with_trees(self uuid, room integer, orphans uuid[], most integer, holders text[], helds integer[], trees boolean)
returns setof uuid language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare begin_at text;
begin
  perform from replicas where replicas.id = self for key share;
  if not found then raise exception using errcode = 'RB001', message = 'this replica was declared dead'; end if;
  select user_id into begin_at from turns
    where ready_at <= (select min(ready_at) + random() * (now() - min(ready_at)) from turns where ready_at <= now())
    order by ready_at desc limit 1;
  return query
  with recursive users as (
    select begin_at as user_id, 1 as n where begin_at is not null and room > 0
    union all
    select coalesce(
        (select t.user_id from turns as t where t.ready_at <= now() and t.user_id > users.user_id order by t.user_id limit 1),
        (select t.user_id from turns as t where t.ready_at <= now() order by t.user_id limit 1)), users.n + 1
    from users where users.n < 64 and (users.n = 1 or users.user_id <> begin_at)
  ), numbered as (
    select w.id, w.ready_at, coalesce(helds[array_position(holders, users.user_id)], 0)
      + row_number() over (partition by users.user_id order by w.ready_at, w.id) as n
    from users cross join lateral (select t.id, t.ready_at from turns as t
      where t.user_id = users.user_id and t.ready_at <= now() and (trees or t.tree is null) order by t.ready_at limit 4 * room) as w
    where users.n = 1 or users.user_id <> begin_at
  ), picked as (
    select numbered.id, numbered.n, numbered.ready_at from numbered where numbered.n <= most
    order by numbered.n, numbered.ready_at limit 4 * room
  ), waiting as (
    select turns.id from picked join turns on turns.id = picked.id where turns.ready_at <= now()
    order by picked.n, picked.ready_at limit room for no key update of turns skip locked
  ), lost as (
    select turns.id from turns where turns.id = any(orphans) and (turns.runner = self and turns.status = 'running'
      or turns.ready_at < 'infinity' and turns.cancel_reason is not null and (trees or turns.tree is null)) for no key update skip locked
  ), claimed as (
    update turns set status = 'running', runner = self, attempt = turns.attempt + 1, ready_at = null,
      handback = case when taken.is_lost then turns.attempt + 1 else turns.handback end, started_at = coalesce(turns.started_at, clock_timestamp())
    from (select waiting.id, false as is_lost from waiting union all select lost.id, true from lost) as taken where turns.id = taken.id
    returning turns.id
  ), begun as (
    update jobs set status = 'running' from claimed where jobs.turn_id = claimed.id and jobs.status = 'queued'
  )
  select claimed.id from claimed;
end $$;
