// @module-tag slow
import { expect, test } from 'vitest';
import { isPossible } from '../../sandbox/guest.ts';
import { rounds } from '../cluster.ts';
import { addFigures } from '../figures.ts';
import { runKills } from './run-kills.ts';

const KILLS = rounds(6, 60);

test('calls that were killed in any phase leave the same outputs, versions and files as undisturbed calls', async ({
  skip,
}) => {
  skip(!isPossible);
  const seed = Math.floor(Math.random() * 2 ** 32);
  console.log(`Repeat with: npm run kills -- ${KILLS} 4 ${seed}`);
  const report = await runKills({ seed, kills: KILLS, workspaces: 4, calls: 4 });
  const kills = Object.values(report.kills).reduce((all, count) => all + count, 0);
  await addFigures('`kill -9` of replicas and sandboxes in every phase of a call', kills, `${report.calls} calls`);

  expect(report.breaches).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
  expect(report.calls).toBeGreaterThanOrEqual(16);
}, 600_000);
