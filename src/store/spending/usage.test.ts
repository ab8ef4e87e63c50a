import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { withOwner } from '../connection.ts';
import { deleteBudget, putBudget } from './budgets.ts';
import { listUsage } from './usage.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
const OPERATOR = { userId: 'operator' };
const ANN = { userId: 'ann' };

beforeAll(async () => {
  database = await openMigratedDatabase();
  for (const [user, age, model, part] of [
    ['ann', 0, 'small', 0],
    ['ann', 0, 'small', 7],
    ['ann', 2, 'large', 0],
    ['bob', 0, 'small', 0],
  ] as const)
    await database.everything.query(
      `insert into usage_days values ($1, (now() at time zone 'utc')::date - $2::int, 'demo', $3, $4, 1, 0, 0, 3000000000, 4, 5, 0.25, 60)`,
      [user, age, model, part],
    );
});

afterAll(() => database.close());

test('the rows of all replicas are added up, and days are counted from today', async () => {
  const today = await withOwner(database.db, ANN, (trx) => listUsage(trx, ANN, 1));
  expect(today).toEqual([
    {
      day: new Date().toISOString().slice(0, 10),
      userId: 'ann',
      provider: 'demo',
      model: 'small',
      calls: 2,
      errors: 0,
      unpricedCalls: 0,
      inputTokens: 6_000_000_000,
      cachedInputTokens: 8,
      outputTokens: 10,
      costUsd: 0.5,
      milliseconds: 120,
    },
  ]);
  const models = (await withOwner(database.db, ANN, (trx) => listUsage(trx, ANN, 3))).map(({ model }) => model);
  expect(models).toEqual(['small', 'large']);
});

test('a user sees only their own usage, even with a query that has no owner filter', async () => {
  const seen = await withOwner(database.db, ANN, (trx) => listUsage(trx, 'everyone', 30));
  expect(new Set(seen.map(({ userId }) => userId))).toEqual(new Set(['ann']));

  const all = await withOwner(database.db, OPERATOR, (trx) => listUsage(trx, 'everyone', 30));
  expect(new Set(all.map(({ userId }) => userId))).toEqual(new Set(['ann', 'bob']));
});

test('only the operator sets limits', async () => {
  const limits = { tokensPerDay: 3_000_000_000, usdPerDay: null };
  await expect(
    withOwner(database.db, ANN, (trx) => unrecorded(trx, (writing) => putBudget(writing, 'ann', limits))),
  ).rejects.toThrow(/row-level/);

  await withOwner(database.db, OPERATOR, (trx) =>
    unrecorded(trx, (writing) => putBudget(writing, 'ann', { tokensPerDay: 1, usdPerDay: 1 })),
  );
  await withOwner(database.db, OPERATOR, (trx) => unrecorded(trx, (writing) => putBudget(writing, 'ann', limits)));
  const read = () => database.everything.query('select user_id, tokens_per_day::float8, usd_per_day from budgets');
  expect((await read()).rows).toEqual([{ user_id: 'ann', tokens_per_day: 3_000_000_000, usd_per_day: null }]);

  await withOwner(database.db, ANN, (trx) => unrecorded(trx, (writing) => deleteBudget(writing, 'ann')));
  expect((await read()).rows).toHaveLength(1);
  await withOwner(database.db, OPERATOR, (trx) => unrecorded(trx, (writing) => deleteBudget(writing, 'ann')));
  expect((await read()).rows).toHaveLength(0);
});
