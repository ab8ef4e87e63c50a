-- What replicas of version 0.2 call. They know no children, so a turn of a tree waits for a replica that does.
create or replace function claim_turns(self uuid, room integer, orphans uuid[], most integer, holders text[], helds integer[])
returns setof uuid language plpgsql as $$
begin
  return query select claim_turns_with_trees(self, room, orphans, most, holders, helds, false);
end $$;
