import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { openDatabase } from '#database/open-database.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { purgeExpired, purgeThreads } from '#lifecycle/retention.ts';
import { freshHome } from '../test/support/fresh-home.ts';
import { FILL_THREADS } from './fill-threads.ts';
import { givenWords } from './given-words.ts';
import { saveResult } from './results/save-result.ts';

/**
 * How the home folder grows in a year with retention: each simulated day has 200 threads of 10 items, 200 webhook jobs and the
 * usage of 50 users; then comes what the service does with old data, and a vacuum. The clock is moved for both. The write-ahead log
 * is not counted: in a real day, checkpoints keep it small.
 * `npm run bench:year -- 30 100` keeps threads for 30 days and simulates 100.
 */
const KEPT_DAYS = Number(givenWords[0] ?? 30);
const DAYS = Number(givenWords[1] ?? 365);
const DAY_MS = 86_400_000;
const THREADS_A_DAY = 200;
const ITEMS = 10;
const USERS = 50;
const REPORT_EVERY = 30;

const MOVED_CLOCK = `
  create schema moved;
  create table moved.clock (at timestamptz not null);
  insert into moved.clock values (now());
  create function moved.now() returns timestamptz language sql stable as $$ select at from moved.clock $$`;

const JOBS = `
  insert into jobs (id, user_id, thread_id, turn_id, status, created_at, completed_at)
  select gen_random_uuid(), 'webhook-' || n % $2, gen_random_uuid(), gen_random_uuid(), 'completed', $1, $1
  from generate_series(1, 200) as n`;

const USAGE = `
  insert into usage_days (user_id, day, provider, model, part, calls, errors, unpriced_calls, input_tokens, cached_input_tokens,
    output_tokens, cost_usd, milliseconds)
  select 'filler-' || n, ($1::timestamptz at time zone 'utc')::date, 'scripted', 'scripted', 0, 20, 0, 0, 9000, 0, 3000, 0.1, 40000
  from generate_series(0, $2 - 1) as n`;

await using undo = new AsyncDisposableStack();
const home = await freshHome();
undo.defer(() => home.remove());
const server = await openDatabase({ url: undefined, home: home.home });
undo.defer(() => server.close());
const pool = connectEngine({ ...server.connection, max: 2 }, (error) => console.error(error));
undo.defer(() => pool.end());
await pool.query(MOVED_CLOCK);
const moved = connectEngine(
  { ...server.connection, max: 1, options: '-c search_path=moved,pg_catalog,public' },
  (error) => console.error(error),
);
undo.defer(() => moved.end());
// Not the engine's connection, which gives up after some seconds.
const vacuuming = new pg.Client(server.connection);
await vacuuming.connect();
undo.defer(() => vacuuming.end());

const until = Date.now();
const sizes: { day: number; megabytes: number; threads: number }[] = [];
const defaults = { ...DEFAULT_RETENTION, jobs: 30, threads: KEPT_DAYS };
for (let day = 1; day <= DAYS; day++) {
  const end = until - (DAYS - day) * DAY_MS;
  await liveADay(new Date(end - DAY_MS), new Date(end));
  await cleanUp(end);
  if (day % REPORT_EVERY === 0 || day === DAYS) await report(day);
}
saveResult('year', { kept_days: KEPT_DAYS, threads_a_day: THREADS_A_DAY, items_a_thread: ITEMS, sizes });

async function liveADay(begin: Date, end: Date): Promise<void> {
  await pool.query(FILL_THREADS, ['filler-', THREADS_A_DAY, ITEMS, USERS, begin, end]);
  await pool.query(JOBS, [end, USERS]);
  await pool.query(USAGE, [end, USERS]);
}

async function cleanUp(at: number): Promise<void> {
  await pool.query('update moved.clock set at = $1', [new Date(at)]);
  const options = { defaults, isElected: () => true, onPurged: () => {} };
  const now = Date.now;
  Date.now = () => at;
  try {
    await purgeExpired(moved, options);
    await purgeThreads(moved, options);
  } finally {
    Date.now = now;
  }
  await vacuuming.query('vacuum (analyze)'); // as autovacuum does in a real day
}

async function report(day: number): Promise<void> {
  const megabytes = Number(
    execFileSync('du', ['-sm', '--exclude=pg_wal', home.home], { encoding: 'utf8' }).split('\t')[0],
  );
  const { rows } = await pool.query<{ threads: number }>('select count(*)::integer as threads from threads');
  const threads = rows[0]?.threads ?? 0;
  sizes.push({ day, megabytes, threads });
  console.log(`day ${day}: ${megabytes} MB, ${threads} threads`);
}
