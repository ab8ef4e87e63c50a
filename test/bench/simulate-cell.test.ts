import { expect, test } from 'vitest';
import { type Cell, type Course, simulateCell } from '../../bench/simulation/simulate-cell.ts';

const CELL: Cell = {
  replicas: 4,
  postgresCores: 1,
  turnsPerReplica: 500,
  node: 0,
  postgres: 10,
  noticed: [1000, 1300],
  model: 1000,
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const simulate = (cell: Partial<Cell>, course: Course) => simulateCell({ ...CELL, ...cell }, course);

test('the wait at one core is what queueing theory says', () => {
  // Two visits of 5 ms each: at 60 per second, the core is busy for 0.6 of the time (M/M/1).
  const { waits } = simulate({}, { turnsPerSecond: 60, seconds: 1500 });
  const load = 0.6;
  const expected = (5 * load) / (1 - load) + 5;
  expect(mean(waits.flat()) / expected).toBeGreaterThan(0.9);
  expect(mean(waits.flat()) / expected).toBeLessThan(1.1);
});

test('the turns of a killed replica continue on the others, each once', () => {
  const { takeovers } = simulate({}, { turnsPerSecond: 40, seconds: 20, kill: { at: 10, replicas: 1 } });
  // A quarter of the 40 turns that run on average.
  expect(takeovers.length).toBeGreaterThan(2);
  expect(takeovers.length).toBeLessThan(25);
  expect(Math.min(...takeovers)).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...takeovers)).toBeLessThan(2000);
});

test('replicas without room let turns wait', () => {
  const full = simulate({ turnsPerReplica: 10, model: 2000 }, { turnsPerSecond: 40, seconds: 20 });
  const roomy = simulate({ turnsPerReplica: 100, model: 2000 }, { turnsPerSecond: 40, seconds: 20 });
  expect(full.mostQueued).toBeGreaterThan(100);
  expect(roomy.mostQueued).toBe(0);
});

test('messages that came while PostgreSQL was away are all accepted after it', () => {
  const { waits } = simulate({}, { turnsPerSecond: 40, seconds: 60, outage: { at: 20, seconds: 10 } });
  expect(Math.max(...(waits[20] ?? []))).toBeGreaterThan(9000);
  expect(mean(waits[50] ?? [])).toBeLessThan(100);
  expect(waits.flat().length / (40 * 60)).toBeGreaterThan(0.9);
});
