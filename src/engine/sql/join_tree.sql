-- A later turn of a run belongs to the same tree, whichever version of the program writes it. The child works on: its gate was answered.
create or replace function join_tree() returns trigger language plpgsql as $$
begin
  select first.tree into new.tree from turns as first where first.id = new.run;
  if new.tree is not null then
    update delegations set state = 'active' where child_run = new.run and state = 'waiting';
  end if;
  return new;
end $$;
