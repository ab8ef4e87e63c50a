-- A job with a callback has completed: the outbox gets the event from which the callback is made.
create or replace function announce_job() returns trigger language plpgsql as $$
begin
  insert into outbox (user_id, type, subject) values (new.user_id, 'job.completed', new.id);
  return null;
end $$;
