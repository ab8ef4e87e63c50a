-- Adds to the number of rows that an erasure has deleted, in the transaction that deletes them, so that no crash
-- changes the result.
create or replace function count_erased(given uuid, counted text, gone bigint) returns bigint language sql as $$
  insert into erasure_counts (erasure_id, name, rows) select given, counted, gone where gone > 0
    on conflict (erasure_id, name) do update set rows = erasure_counts.rows + excluded.rows;
  select gone
$$;
