import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Spent } from '#domain/spending.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type AppliedSettings, type Budgets, USUAL_SETTINGS } from '#domain/work/work-settings.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { BudgetExceeded } from './budget.ts';
import { createWorkBudgets } from './work-budgets.ts';

const ID = '0198c0de-0000-7000-8000-000000000001';
const USAGE = { ...NO_USAGE, inputTokens: 60, outputTokens: 40, cost: { inputUsd: 0.01, outputUsd: 0.02 } };
const NOTHING: Spent = { tokens: 0, usd: 0 };
const ann = { userId: 'ann' };

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());
beforeEach(() => database.everything.query('truncate work_days'));

const budgets = (
  limits: Partial<Budgets>,
  { from = 'assistant', usages = [USAGE], below = NOTHING }: Partial<Options> = {},
) => {
  const applied = { from, id: ID, name: 'research', folder: '', settings: { ...USUAL_SETTINGS, ...limits } };
  return createWorkBudgets({
    db: database.db,
    owner: ann,
    work: async () => [applied],
    usages: () => usages,
    below: () => below,
  });
};
type Options = {
  readonly from: AppliedSettings['from'];
  readonly usages: readonly (typeof USAGE)[];
  readonly below: Spent;
};

const addDay = (tokens: number, usd: number, user = 'ann', daysAgo = 0) =>
  database.everything.query(
    `insert into work_days values ($1, (now() at time zone 'utc')::date - $2::integer, $3, (random() * 1000)::integer, $4, $5)`,
    [user, daysAgo, ID, tokens, usd],
  );

test('a run stops at the first limit it reaches, in tokens or in US dollars, and says whose limit it is', async () => {
  await expect(budgets({}).check()).resolves.toEqual([]);
  await expect(budgets({ tokensPerRun: 101, usdPerRun: 0.031 }).check()).resolves.toEqual([]);
  await expect(budgets({ tokensPerRun: 100 }).check()).rejects.toThrow(/^The 100 tokens that "research" may use/);
  await expect(budgets({ tokensPerRun: 1000, usdPerRun: 0.03 }).check()).rejects.toThrow(/^The 0.03 US dollars /);
  await expect(budgets({ tokensPerRun: 100 }, { from: 'mission' }).check()).rejects.toThrow(
    /Its budget allows no more/,
  );
});

test('the usage of every turn of a run counts, and an unknown price counts as nothing', async () => {
  const usages = [USAGE, { ...USAGE, cost: null as never }, USAGE];
  await expect(budgets({ tokensPerRun: 301, usdPerRun: 0.061 }, { usages }).check()).resolves.toEqual([]);
  await expect(budgets({ tokensPerRun: 300 }, { usages }).check()).rejects.toThrow(BudgetExceeded);
  await expect(budgets({ usdPerRun: 0.06 }, { usages }).check()).rejects.toThrow(BudgetExceeded);
});

test('the use of children counts, and a run has left as much as its own limits leave', async () => {
  const below = { tokens: 50, usd: 0 };
  const own = budgets({ tokensPerRun: 150 }, { below });
  await expect(own.check()).rejects.toThrow(BudgetExceeded);
  expect(await own.left()).toEqual({ tokens: 50, usd: null });
  expect(await budgets({ tokensPerRun: 90, usdPerRun: 0.04 }).left()).toEqual({ tokens: 0, usd: expect.closeTo(0.01) });
});

test('a day counts what all turns of the user have used today, and not those of others or of yesterday', async () => {
  const day = budgets({ tokensPerDay: 1000 });
  await expect(day.check()).resolves.toEqual([ID]);
  await addDay(900, 0.2);
  await addDay(5000, 5, 'bob');
  await addDay(5000, 5, 'ann', 1);
  await expect(day.check()).resolves.toEqual([ID]);
  await addDay(100, 0.1);
  await expect(day.check()).rejects.toMatchObject({
    details: { code: 'limit.work_day', values: { name: 'research', limit: 1000, unit: 'tokens' } },
  });
  await expect(budgets({ usdPerDay: 0.25 }).check()).rejects.toThrow(/^The 0.25 US dollars .* in a day/);
});
