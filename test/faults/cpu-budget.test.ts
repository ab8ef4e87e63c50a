import { afterAll, beforeAll, expect, test } from 'vitest';
import { burst, compareTurns } from '../../bench/compare-turns.ts';
import BUDGET from '../../bench/cpu-budget.json' with { type: 'json' };
import { openServers, stop } from '../../bench/turn-servers.ts';

/** How much a turn may grow before someone must look at it, and either make it cheaper or raise the budget. */
const GROWTH = 1.2;
/** The package is built first, unless another test has done it. */
const BUILD_MS = 300_000;
const BURSTS = { seconds: 1, rounds: 3 };

type Opened = Awaited<ReturnType<typeof openServers>>;
let opened: Opened;
let hand: Awaited<ReturnType<Opened['startHand']>>;
let ours: Awaited<ReturnType<Opened['startOurs']>>;

beforeAll(async () => {
  opened = await openServers();
  [hand, ours] = await Promise.all([opened.startHand(), opened.startOurs()]);
  for (const server of [hand, ours]) await burst(opened.ask, server, 8, 3); // warm
}, BUILD_MS);

afterAll(async () => {
  await Promise.all([stop(hand.child), stop(ours.child)]);
  await opened.close();
});

test.for(Object.entries(BUDGET))(
  'the CPU time of a turn, %s at once, keeps to %s times that of a hand-written server',
  { retry: 2 },
  async ([atOnce, budget]) => {
    const { ratio } = await compareTurns(opened.ask, { ours, hand }, { atOnce: Number(atOnce), ...BURSTS });
    console.log(`${atOnce} at once: ${ratio.toFixed(1)} times, the budget is ${budget}`);
    expect(ratio).toBeLessThan(budget * GROWTH);
  },
);
