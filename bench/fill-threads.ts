/**
 * Threads of some users, with a turn, items of about 300 bytes and the texts for the search. The values: the id of the user,
 * how many threads, how many items each, over how many users they are spread (0: the id is one user's), and from when until
 * when they were created, as their ids say.
 */
export const FILL_THREADS = `
  with made as (
    insert into threads (id, user_id, last_seq, opening, preview, bytes, created_at, updated_at)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
        || substr(md5(random()::text), 1, 15))::uuid,
      $1 || case when $4 = 0 then '' else (n % greatest($4, 1))::text end, 1, 'thread ' || n, 'the last words', 3000, at, at
    from (select n, $5::timestamptz + ($6::timestamptz - $5::timestamptz) * random() as at from generate_series(1, $2::integer) as n) as times
    returning id, user_id, created_at
  ), turned as (
    insert into turns (id, thread_id, user_id, seq, status, channel, request, created_at, ended_at)
    select gen_random_uuid(), id, user_id, 1, 'completed', 'chat', '{}', created_at, created_at from made
    returning id, thread_id, user_id, created_at
  ), said as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body, created_at)
    select thread_id, 1, n, gen_random_uuid(), id, user_id,
      json_build_object('type', 'message', 'role', case when n % 2 = 0 then 'user' else 'assistant' end, 'status', 'completed',
        'content', json_build_array(json_build_object('type', 'text', 'text', repeat('words about plans and seeds ', 8)))), created_at
    from turned, generate_series(1, $3::integer) as n
    returning id, thread_id, user_id, position, created_at
  )
  insert into item_texts (item_id, thread_id, user_id, role, text, words, created_at)
  select id, thread_id, user_id, case when position % 2 = 0 then 'user' else 'assistant' end, spoken, to_tsvector('simple', spoken), created_at
  from said, lateral (select case when random() < 0.01 then 'the harvest is late' else 'words about plans and seeds' end as spoken) as text`;
