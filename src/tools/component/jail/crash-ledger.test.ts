import { expect, test } from 'vitest';
import { createCrashLedger } from './crash-ledger.ts';

test('so many crashes within the window put a tool to rest, and it comes back', () => {
  let now = 0;
  const ledger = createCrashLedger({ limit: 3, windowMs: 100, restMs: 50 }, () => now);
  for (now of [10, 20]) ledger.record('tool');
  expect(ledger.quarantineLeft('tool')).toBe(0);
  now = 30;
  ledger.record('tool');
  expect(ledger.quarantineLeft('tool')).toBe(50);
  expect(ledger.quarantineLeft('other')).toBe(0);
  now = 79;
  expect(ledger.quarantineLeft('tool')).toBe(1);
  now = 80;
  expect(ledger.quarantineLeft('tool')).toBe(0);
});

test('crashes that lie further apart are forgotten', () => {
  let now = 0;
  const ledger = createCrashLedger({ limit: 2, windowMs: 100, restMs: 50 }, () => now);
  for (now of [0, 100, 200, 300]) ledger.record('tool');
  expect(ledger.quarantineLeft('tool')).toBe(0);
});
