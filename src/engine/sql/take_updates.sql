-- Leases the first update of each lane that is due. It stays `new`, and so holds up the later ones of its lane, until
-- it is ended.
create or replace function take_updates(room integer, lease interval, replica uuid)
returns setof chat_inbox language plpgsql set enable_seqscan = off as $$
begin
  return query
  with due as (
    select id from chat_inbox as given where state = 'new' and due_at <= now() and not exists (
      select from chat_inbox as earlier where earlier.state = 'new' and earlier.account_id = given.account_id
        and earlier.lane = given.lane and earlier.position < given.position)
    order by due_at limit room for update skip locked
  )
  update chat_inbox set due_at = now() + lease, tries = chat_inbox.tries + 1, handler = replica, user_id = (
    select links.user_id from chat_links as links
    where links.account_id = chat_inbox.account_id and links.sender = chat_inbox.sender)
  from due where chat_inbox.id = due.id returning chat_inbox.*;
end $$;
