-- A turn waits at a gate that a person answers, or a turn has ended whose reply is delivered. A steered turn is no end: a chat only
-- shows what it has said.
create or replace function announce_turn() returns trigger language plpgsql as $$
begin
  if new.steered_by is not null and new.channel = 'webhook' then return null; end if;
  if new.status <> 'waiting' then
    insert into outbox (user_id, type, subject) values (new.user_id, 'turn.ended', new.id);
  elsif exists (select from gates where thread_id = new.thread_id and turn_seq = new.seq and kind <> 'external-tool') then
    insert into outbox (user_id, type, subject) values (new.user_id, 'gate.opened', new.id);
  end if;
  return null;
end $$;
