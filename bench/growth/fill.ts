import type pg from 'pg';

/** Threads of one statement: about half a million items. */
const BATCH = 50_000;
/** Above this share of new rows, it is faster to build the indexes again than to add to them. */
const REBUILD_FROM = 0.5;
const THREADS_PER_USER = 50;
const ITEMS_PER_THREAD = 10;
const FIRST_DAY = new Date('2024-11-01T00:00:00Z');
const DAYS = 730;
const BIG_TABLES = ['items', 'item_texts', 'turns', 'threads'];

/**
 * Words by rank, the lower the more frequent, and from them 4,096 messages and outputs as a turn has them. Texts are made once,
 * and items refer to them by number: making millions of word lists would take hours.
 */
const MAKE_TEXTS = `
  create schema if not exists growth;
  drop table if exists growth.texts;
  select setseed(0.4);
  create table growth.texts as
  with word as materialized (
    select array_agg(a.part || b.part || c.part order by md5(a.part || b.part || c.part)) as list
    from unnest('{ba,ke,lo,mi,nu,ra,se,to,vi,ze,dor,fan,gel,hir,jum}'::text[]) as a (part),
      unnest('{la,me,ni,po,ru,sta,ven,wi}'::text[]) as b (part),
      unnest('{"",n,r,s,t,ment,tion,ling}'::text[]) as c (part)
  ), length as materialized (
    select n, k, case k when 0 then 4 + (exp(2.2 + gauss * 0.6))::integer when 1 then 6 + (exp(3.0 + gauss * 0.7))::integer
      when 2 then 5 else 10 + (exp(2.9 + gauss * 0.9))::integer end as words
    from generate_series(0, 4095) as n, generate_series(0, 3) as k,
      lateral (select random_normal(0 * n + 0 * k) as gauss) as normal
  ), said as materialized (
    select n, k, (case when n % 100 = 7 and k < 2 then 'the harvest is late ' else '' end) ||
      (select string_agg(list[1 + floor(cardinality(list) * random() ^ 3)::integer + 0 * w], ' ') from generate_series(1, words) as w) as text
    from length, word
  )
  select n, k, case when k < 2 then text end as text, case when k < 2 then to_tsvector('simple', text) end as words,
    case k
      when 2 then json_build_object('type', 'function_call', 'status', 'completed', 'callId', 'call_' || n, 'name', 'get_weather',
        'arguments', json_build_object('place', text)::text, 'external', false)
      when 3 then json_build_object('type', 'function_call_output', 'status', 'completed', 'callId', 'call_' || n,
        'output', json_build_array(json_build_object('type', 'text', 'text', text)))
      else json_build_object('type', 'message', 'role', case k when 0 then 'user' else 'assistant' end, 'status', 'completed',
        'content', json_build_array(json_build_object('type', 'text', 'text', text)))
    end as body
  from said;
  alter table growth.texts add primary key (n, k);
  analyze growth.texts`;

/**
 * Some threads of one span of time. The values: how many, of which user or `null` for a crowd in which few write much, how many
 * people the crowd has, and the span. A thread has three turns on average, and every second turn has a call with its output. Ids
 * begin with the time, as those of the service do.
 */
const ADD_THREADS = `
  with thread as materialized (
    select uuidv7(at - now()) as id, coalesce($2, 'filler-' || floor($3::integer * random() ^ 2)::integer) as user_id, at,
      1 + floor(-ln(1 - random()) * 2.83)::integer as turns, floor(random() * 4096)::integer as n
    from (select $4::timestamptz + ($5::timestamptz - $4::timestamptz) * (n / $1::float8) as at from generate_series(1, $1::integer) as n) as times
  ), turn as materialized (
    select uuidv7(at - now()) as id, thread_id, user_id, seq, at, n, random() < 0.5 as calls
    from (select id as thread_id, user_id, seq, thread.at + make_interval(mins => 7 * seq) as at, (n + seq * 61) % 4096 as n
      from thread, generate_series(1, turns) as seq) as each
  ), item as materialized (
    select uuidv7(at - now()) as id, turn.id as turn_id, thread_id, user_id, seq, at, n,
      row_number() over (partition by turn.id order by place) - 1 as position, k
    from turn, (values (1, 0), (2, 2), (3, 3), (4, 1)) as part (place, k) where calls or k < 2
  ), threads_made as (
    insert into threads (id, user_id, last_seq, opening, preview, bytes, created_at, updated_at)
    select id, user_id, turns, left(said.text, 80), left(answer.text, 120), turns * 1500, at, at + make_interval(mins => 7 * turns + 1)
    from thread join growth.texts as said on said.n = thread.n and said.k = 0
      join growth.texts as answer on answer.n = thread.n and answer.k = 1
  ), turns_made as (
    insert into turns (id, thread_id, user_id, seq, status, channel, request, usage, created_at, started_at, ended_at)
    select id, thread_id, user_id, seq, 'completed', 'chat', '{}', '{"inputTokens":900,"outputTokens":120}', at, at, at + interval '9 seconds' from turn
  ), items_made as (
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, created_at)
    select thread_id, seq, position, id, turn_id, user_id, 0, body, at from item join growth.texts using (n, k)
  ), texts_made as (
    insert into item_texts (item_id, thread_id, user_id, role, text, words, created_at)
    select id, thread_id, user_id, case k when 0 then 'user' else 'assistant' end, text, words, at from item join growth.texts using (n, k) where k < 2
  ), days_made as (
    insert into usage_days (user_id, day, provider, model, part, calls, errors, unpriced_calls, input_tokens, cached_input_tokens,
      output_tokens, cost_usd, milliseconds)
    select user_id, (at at time zone 'utc')::date, 'scripted', 'scripted', 0, count(*), 0, 0, 900 * count(*), 0, 120 * count(*),
      0.01 * count(*), 9000 * count(*) from turn group by 1, 2
    on conflict (user_id, day, provider, model, part) do update set calls = usage_days.calls + excluded.calls
  ), noted as (
    insert into audit (at, actor, action, subject, detail)
    select at, user_id, 'token.create', gen_random_uuid()::text, json_build_object('userId', user_id, 'name', 'phone') from thread where n % 8 = 0
  )
  select count(*)::integer as items from item`;

export type Built = { readonly index: string; readonly seconds: number; readonly megabytes: number };

export async function makeTexts(database: pg.ClientBase): Promise<void> {
  for (const statement of MAKE_TEXTS.split(';\n')) await database.query(statement);
}

/** Adds threads of one user, spread over two years. */
export async function fillUser(database: pg.ClientBase, userId: string, threads: number): Promise<void> {
  for (let done = 0; done < threads; done += BATCH)
    await database.query(ADD_THREADS, [Math.min(BATCH, threads - done), userId, 1, FIRST_DAY, lastDay()]);
}

/**
 * Adds threads of a crowd until the table has about so many items, and returns the indexes that were built again with how long
 * each took. The time continues from where the last call ended, of `most` items in all, so that rows are in the order of time.
 */
export async function fillCrowd(database: pg.ClientBase, from: number, to: number, most: number): Promise<Built[]> {
  const isRebuilding = (to - from) / to >= REBUILD_FROM && to - from > 1e6;
  const indexes = isRebuilding ? await dropIndexes(database) : [];
  const at = (items: number) => new Date(FIRST_DAY.getTime() + (DAYS * 86_400_000 * items) / most);
  for (let items = from; items < to; items += BATCH * ITEMS_PER_THREAD) {
    const end = Math.min(to, items + BATCH * ITEMS_PER_THREAD);
    const threads = Math.round((end - items) / ITEMS_PER_THREAD);
    const crowd = Math.ceil(end / ITEMS_PER_THREAD / THREADS_PER_USER);
    await database.query(ADD_THREADS, [threads, null, crowd, at(items), at(end)]);
    if (process.stdout.isTTY || items % 1e6 === 0)
      console.log(`${new Date().toISOString()} ${(end / 1e6).toFixed(1)} million`);
  }
  const built: Built[] = [];
  for (const { name, definition } of indexes) built.push(await build(database, name, definition));
  return built;
}

const lastDay = (): Date => new Date(FIRST_DAY.getTime() + DAYS * 86_400_000);

type Index = { readonly name: string; readonly definition: string };

/** Of the large tables, with what it takes to make them again: keys as constraints, others as indexes. */
async function dropIndexes(database: pg.ClientBase): Promise<Index[]> {
  const { rows } = await database.query<Index & { drop: string }>(
    `select indexrelid::regclass::text as name,
       case when c.oid is null then pg_get_indexdef(indexrelid)
         else format('alter table %s add constraint %I %s', indrelid::regclass, conname, pg_get_constraintdef(c.oid)) end as definition,
       case when c.oid is null then format('drop index %s', indexrelid::regclass)
         else format('alter table %s drop constraint %I', indrelid::regclass, conname) end as drop
     from pg_index left join pg_constraint as c on conindid = indexrelid and contype in ('p', 'u')
     where indrelid::regclass::text = any($1) and not exists (
       select from pg_constraint where contype = 'f' and conindid = indexrelid)
     order by indrelid, indexrelid`,
    [BIG_TABLES],
  );
  for (const { drop } of rows) await database.query(drop);
  return rows;
}

async function build(database: pg.ClientBase, name: string, definition: string): Promise<Built> {
  const started = performance.now();
  await database.query(definition);
  const seconds = (performance.now() - started) / 1000;
  const { rows } = await database.query<{ bytes: number }>('select pg_relation_size($1::regclass)::float8 as bytes', [
    name,
  ]);
  return { index: name, seconds, megabytes: (rows[0]?.bytes ?? 0) / 1e6 };
}
