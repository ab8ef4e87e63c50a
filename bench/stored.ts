import { addUser } from '../test/support/accounts.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { startScriptedModel } from '../test/support/scripted-model.ts';
import { startService } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';

/**
 * How much stored data costs: the first page of threads, a search and a turn, first in an empty database and then in one with
 * 100,000 threads and a million items; then a turn while retention deletes most threads, and while a user is erased. The same
 * process and machine serve all of them, so compare the ratios. `npm run bench:stored -- 10000` fills with fewer threads.
 */
const THREADS = Number(process.argv[2] ?? 100_000);
const ITEMS = 10;
const USERS = 1000;
const ERASED_THREADS = Math.round(THREADS / 10);
const PIECES = 40;
const ROUNDS = 60;

/** Threads of the last two years, as their ids say, with turns, items of about 300 bytes and the texts for the search. */
const FILL = `
  with made as (
    insert into threads (id, user_id, last_seq, opening, preview, bytes, created_at, updated_at)
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
        || substr(md5(random()::text), 1, 15))::uuid,
      $1 || case when $4 = 0 then '' else (n % greatest($4, 1))::text end, 1, 'thread ' || n, 'the last words', 3000, at, at
    from (select n, now() - interval '2 years' * random() as at from generate_series(1, $2::integer) as n) as times
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

const [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
const service = await startService(
  { ...home.env, LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url },
  { purgeThreadsEveryMs: 1000 },
);
try {
  const ann = await addUser(service, 'Ann');
  const erased = await addUser(service, 'Erased');
  const call = async (route: string, body?: object) => {
    const init = { headers: ann.headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
    const response = await service.request(route, init);
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  const page = () => call('/api/threads');
  const search = () => call('/api/search?q=harvest');
  const turn = () => call('/api/chat', { message: 'say hello' });

  // As much as one user has of the full database, so that the two differ by the data of others only.
  await fill(ann.id, Math.round(THREADS / USERS));
  for (const act of [turn, page, search]) await measure(act); // warming up
  const empty = { page: await measure(page), search: await measure(search), turn: await measure(turn) };

  const started = performance.now();
  await fillUsers();
  for (let piece = 0; piece < 4; piece++) await fill(erased.id, ERASED_THREADS / 4);
  await home.query('analyze');
  const [size] = await home.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  console.log(`filled in ${((performance.now() - started) / 1000).toFixed(0)} s: ${size?.size}`);
  for (const act of [turn, page, search]) await measure(act);
  compare('first page of threads', empty.page, await measure(page));
  compare('search', empty.search, await measure(search));
  const full = await measure(turn);
  compare('turn', empty.turn, full);

  const before = await countThreads();
  await service.request('/api/retention', { method: 'PUT', body: JSON.stringify({ threads: 30 }) });
  await waitFor('the purge to begin', async () => (await countThreads()) < before, 60_000);
  const purging = await measure(turn);
  compare('turn beside retention', full, purging);
  const [purgedFrom, at] = [await countThreads(), performance.now()];
  await turnsFor(5000, turn);
  console.log(
    `retention: ${Math.round((purgedFrom - (await countThreads())) / ((performance.now() - at) / 1000))} threads a second`,
  );
  await service.request('/api/retention', { method: 'PUT', body: '{}' });

  const erasing = performance.now();
  const erasure = service
    .request(`/api/users/${erased.id}/erase`, { method: 'POST' })
    .then(async (response) => ((await response.json()) as { status: string }).status === 'completed');
  await turnsFor(2500, turn); // its users' turns are cancelled first
  compare('turn beside an erasure', full, await measure(turn));
  const result = (await erasure)
    ? `took ${((performance.now() - erasing) / 1000).toFixed(1)} s`
    : 'continues after 20 s';
  console.log(`erasing ${ERASED_THREADS} threads ${result}`);
} finally {
  await service.close();
  await model.close();
  await home.remove();
}

type Times = { readonly p50: number; readonly p95: number };

async function measure(act: () => Promise<void>): Promise<Times> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await act();
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

async function turnsFor(milliseconds: number, turn: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await turn();
}

function compare(name: string, before: Times, after: Times): void {
  const show = (share: keyof Times) =>
    `${share} ${before[share].toFixed(1)} -> ${after[share].toFixed(1)} ms (${(after[share] / before[share]).toFixed(2)}x)`;
  console.log(`${name}: ${show('p50')}, ${show('p95')}`);
}

async function fillUsers(): Promise<void> {
  for (let piece = 0; piece < PIECES; piece++)
    await home.query(FILL, [`filler-${piece}-`, Math.round(THREADS / PIECES), ITEMS, USERS / PIECES]);
}

async function fill(userId: string, threads: number): Promise<void> {
  await home.query(FILL, [userId, threads, ITEMS, 0]);
}

async function countThreads(): Promise<number> {
  const [row] = await home.query<{ count: number }>('select count(*)::integer as count from threads');
  return row?.count ?? 0;
}
