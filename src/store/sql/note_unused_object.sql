-- Lists the object of a deleted or replaced attachment, to be removed from the bucket.
create or replace function note_unused_object() returns trigger language plpgsql as $$
begin
  insert into unused_objects (object_key, user_id) values (old.object_key, old.user_id) on conflict do nothing;
  return null;
end $$;
