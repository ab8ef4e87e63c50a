-- Erases a page of the threads of `owner` with everything that belongs to them, and counts the rows for the certificate
-- of the erasure `given`.
create or replace function erase_threads(given uuid, owner text, most integer, most_bytes bigint) returns bigint
language plpgsql set enable_seqscan = off as $$
declare
  page uuid[]; part text; gone bigint; total bigint := 0;
begin
  page := array(select id from (
    select id, sum(bytes) over (order by id) - bytes as ahead
    from (select id, bytes from threads where user_id = owner order by id limit most) as first
  ) as sized where ahead < most_bytes);
  if cardinality(page) = 0 then return 0; end if;
  -- Turns are locked before the rows of their threads go: an append locks its turn, and then shares the key of its thread.
  perform from threads where id = any(page) order by id for no key update;
  perform from turns where thread_id = any(page) order by id for update;
  delete from turn_events where turn_id in (select id from turns where thread_id = any(page));
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'turn_events', gone);
  delete from approvals where gate_id in (select id from gates where thread_id = any(page));
  get diagnostics gone = row_count;
  total := total + count_erased(given, 'approvals', gone);
  foreach part in array '{delegations,shares,ratings,site_grants,sources,items,item_texts,summaries,jobs,conversations,call_questions,gates,turns}'::text[] loop
    execute format('delete from %I where thread_id = any($1)', part) using page;
    get diagnostics gone = row_count;
    total := total + count_erased(given, part, gone);
  end loop;
  delete from threads where id = any(page);
  get diagnostics gone = row_count;
  return total + count_erased(given, 'threads', gone);
end
$$;
