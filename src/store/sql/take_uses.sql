-- Counts uses of rate-limited keys. Of the `uses` of a key, as many are allowed as keep the number within a window of 60 slots, each
-- `width` seconds long, at most at its limit. Refused uses don't count. A slot counts until all of it is older than the window, so no
-- period of that length ever has more uses. Each row is locked before the clock is read, so a limit holds across replicas; rows are
-- locked in the order of their keys.
create or replace function take_uses(keys text[], uses integer[], limits integer[], widths float8[])
returns table (entry integer, allowed integer, retry_in_seconds float8) language plpgsql as $$
#variable_conflict use_column
declare u record; kept record; slot bigint; live_slots bigint[]; live_counts integer[]; used integer; total integer;
begin
  for u in select * from unnest(keys, uses, limits, widths) with ordinality as u (key, uses, most, width, n) order by key, n loop
    select slots, counts into kept from rate_windows where key = u.key for update;
    if not found then
      insert into rate_windows (key, slots, counts, expires_at) values (u.key, '{}', '{}', now()) on conflict do nothing;
      select slots, counts into kept from rate_windows where key = u.key for update;
    end if;
    live_slots := kept.slots; live_counts := kept.counts; total := 0;
    -- The newest slot, if the clock was set back.
    slot := greatest(floor(extract(epoch from clock_timestamp()) / u.width)::bigint, live_slots[cardinality(live_slots)]);
    while live_slots[1] < slot - 60 loop live_slots := live_slots[2:]; live_counts := live_counts[2:]; end loop;
    foreach used in array live_counts loop total := total + used; end loop;

    entry := u.n; allowed := greatest(0, least(u.uses, u.most - total));
    if live_slots[cardinality(live_slots)] = slot then
      live_counts[cardinality(live_slots)] := live_counts[cardinality(live_slots)] + allowed;
    elsif allowed > 0 then
      live_slots := live_slots || slot; live_counts := live_counts || allowed;
    end if;
    update rate_windows set slots = live_slots, counts = live_counts, expires_at = to_timestamp((slot + 61) * u.width) where key = u.key;
    retry_in_seconds := (live_slots[1] + 61) * u.width - extract(epoch from clock_timestamp());
    return next;
  end loop;
end $$;
