import { expect, test } from 'vitest';
import { BudgetExceeded, checkBudget } from './budget.ts';

const EVENING = new Date('2026-12-31T21:30:00Z');
const check = (limits: { tokensPerDay?: number; usdPerDay?: number }, tokens: number, usd: number) => () =>
  checkBudget({ tokensPerDay: null, usdPerDay: null, ...limits }, { tokens, usd }, EVENING);

test('without limits no call is refused', () => {
  expect(check({}, 1e15, 1e9)).not.toThrow();
});

test('a limit holds from the moment it is reached, and says what was used and when it ends', () => {
  expect(check({ tokensPerDay: 1000 }, 999, 0)).not.toThrow();
  expect(check({ tokensPerDay: 1000 }, 1000, 0)).toThrow(BudgetExceeded);
  expect(check({ tokensPerDay: 1000 }, 1234, 0)).toThrow(/^1234 of the 1000 tokens .* 2027-01-01T00:00:00Z/);
  expect(check({ usdPerDay: 2.5 }, 0, 2.4999)).not.toThrow();
  expect(check({ usdPerDay: 2.5 }, 0, 2.509)).toThrow(/^2.51 of the 2.50 US dollars/);
});

test('clients get the amounts and the time as values', () => {
  const resets = '2027-01-01T00:00:00Z';
  expect(detailsOf(check({ tokensPerDay: 1000 }, 1234, 0))).toEqual({
    code: 'limit.day',
    values: { used: 1234, limit: 1000, unit: 'tokens', resets },
  });
  expect(detailsOf(check({ usdPerDay: 2.5 }, 0, 2.509))).toEqual({
    code: 'limit.day',
    values: { used: 2.509, limit: 2.5, unit: 'usd', resets },
  });
});

function detailsOf(checking: () => void): unknown {
  try {
    return checking();
  } catch (error) {
    return (error as BudgetExceeded).details;
  }
}

test('a limit of nothing forbids everything', () => {
  expect(check({ tokensPerDay: 0 }, 0, 0)).toThrow(BudgetExceeded);
});
