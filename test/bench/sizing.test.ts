import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COST, sizeOf, writeSizes } from '../../bench/simulation/sizing.ts';

test('the tables of scale.md are what `npm run simulate` computes', () => {
  const page = readFileSync('docs/operate/scale.md', 'utf8');
  expect(page).toBe(writeSizes(page));
  expect(writeSizes(page.replaceAll(/^\| cores together .+\n/gm, ''))).toBe(page);
});

test('a million users need the cores that their turns cost, at half of the load', () => {
  const { turnsPerSecond, cores, nodeCores, postgresCores } = sizeOf(1_000_000);
  expect(turnsPerSecond).toBeCloseTo((1_000_000 * 20 * 0.1) / 3600);
  expect(cores).toBeCloseTo((turnsPerSecond * 2 * (COST.node + COST.postgres)) / 1000);
  expect(nodeCores + postgresCores).toBeCloseTo(cores);
});

test('a hundred million users need a hundred cells of a million', () => {
  const [cell, all] = [sizeOf(1_000_000), sizeOf(100_000_000)];
  expect(all.cells).toBe(100);
  for (const name of ['replicas', 'connections', 'storage', 'money'] as const)
    expect(all[name]).toBeCloseTo(100 * cell[name]);
});

test('the replicas that are left hold all turns when as many are lost as assumed', () => {
  const { replicas, turnsAtATime } = sizeOf(1_000_000);
  expect(Math.floor(replicas * 0.7) * 500).toBeGreaterThan(0.98 * turnsAtATime);
});
