-- Deletes the rows of every table that has an owner, found in the catalogue, so that no table can be forgotten. The
-- parts of threads are deleted with them and have no index by owner. Tables that refer to others come first.
-- `unused_objects` is left out: its rows are deleted after their objects, which only a replica can remove.
create or replace function erase_owned(given uuid, owner text, most integer) returns bigint language plpgsql as $$
declare
  part text; gone bigint; total bigint := 0;
begin
  for part in
    select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'user_id' and not attisdropped
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('threads', 'items', 'unused_objects') and not exists (
        select from pg_constraint where contype = 'f' and conrelid = pg_class.oid and confrelid in ('threads'::regclass, 'gates'::regclass))
    order by exists (select from pg_constraint where contype = 'f' and conrelid = pg_class.oid) desc,
      exists (select from pg_constraint where contype = 'f' and confrelid = pg_class.oid), relname
  loop
    execute format('delete from %1$I where ctid = any(array(select ctid from %1$I where user_id = $1 limit $2))', part) using owner, most;
    get diagnostics gone = row_count;
    total := total + count_erased(given, part, gone);
    if total >= most then return total; end if;
  end loop;
  return total;
end $$;
