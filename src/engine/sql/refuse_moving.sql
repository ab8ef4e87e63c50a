-- Refuses users who move to another cell. Returns its argument, so that a statement which writes for these users can't
-- run without the check.
create or replace function refuse_moving(users text[]) returns text[] language plpgsql as $$
begin
  if exists (select from user_moves where subject = any(users) and state <> 'arrived') then
    raise exception using errcode = 'RB002', message = 'this user moves to another cell';
  end if;
  return users;
end $$;
