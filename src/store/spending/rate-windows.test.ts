// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { takeUse } from './rate-windows.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

/** Long enough that no slot ends while a test runs. */
const SLOT_SECONDS = 1_000_000;
const LONG = 60 * SLOT_SECONDS;

const take = (key: string, limit: number, windowSeconds = LONG) => takeUse(database.db, key, { limit, windowSeconds });

async function allowedOf(key: string, limit: number, count: number): Promise<number> {
  const uses = await Promise.all(Array.from({ length: count }, () => take(key, limit)));
  return uses.filter(({ isAllowed }) => isAllowed).length;
}

/** Simulates that this much time has passed. */
const passSlots = (key: string, slots: number) =>
  database.everything.query(
    'update rate_windows set slots = array(select slot - $2::bigint from unnest(slots) as slot order by slot) where key = $1',
    [key, slots],
  );

test('of many concurrent uses, exactly as many as the limit are allowed', async () => {
  expect(await allowedOf('burst', 30, 80)).toBe(30);
});

test('uses at the end of one window count at the start of the next', async () => {
  await take('edge', 30);
  await passSlots('edge', 58);
  expect(await allowedOf('edge', 30, 40)).toBe(29);

  await passSlots('edge', 3); // the first use has expired, the other 29 have not
  expect(await allowedOf('edge', 30, 40)).toBe(1);
  await passSlots('edge', 57);
  expect(await allowedOf('edge', 30, 40)).toBe(0);
  await passSlots('edge', 1);
  expect(await allowedOf('edge', 30, 40)).toBe(29);
});

test('a refusal says when the next use is allowed, and refused uses do not delay it', async () => {
  await take('wait', 2);
  await passSlots('wait', 20);
  await take('wait', 2);
  const first = await take('wait', 2);
  expect(first.isAllowed).toBe(false);
  expect(first.retryInSeconds / SLOT_SECONDS).toBeGreaterThan(40);
  expect(first.retryInSeconds / SLOT_SECONDS).toBeLessThanOrEqual(41);

  await passSlots('wait', 40);
  expect((await take('wait', 2)).isAllowed).toBe(false);
  await passSlots('wait', 1);
  expect((await take('wait', 2)).isAllowed).toBe(true);
});

test("no period of the window's length ever has more uses than the limit", async () => {
  const [limit, windowSeconds] = [5, 0.6];
  const allowed: { started: number; ended: number }[] = [];
  const end = performance.now() + 4000;
  while (performance.now() < end) {
    const started = performance.now();
    const { isAllowed } = await take('any', limit, windowSeconds);
    if (isAllowed) allowed.push({ started, ended: performance.now() });
  }

  const periods = allowed.slice(limit).map(({ ended }, index) => ended - (allowed[index]?.started ?? 0));
  expect(periods.length).toBeGreaterThan(limit); // most of the time is used
  expect(Math.min(...periods)).toBeGreaterThanOrEqual(windowSeconds * 1000);
});

test('expired rows are found by an index', async () => {
  await database.everything.query(
    `insert into rate_windows
     select 'old ' || number, '{1}', '{1}', now() + interval '1 hour' from generate_series(1, 20000) as number`,
  );
  await database.everything.query('analyze rate_windows');
  const { rows } = await database.everything.query<{ 'QUERY PLAN': string }>(
    'explain delete from rate_windows where expires_at < now()',
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('rate_windows_by_expiry');
});
