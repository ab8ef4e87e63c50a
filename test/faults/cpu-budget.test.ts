import { afterAll, beforeAll, expect, test } from 'vitest';
import { burst } from '../../bench/burst.ts';
import { type Ask, compareTurns } from '../../bench/compare-turns.ts';
import BUDGET from '../../bench/cpu-budget.json' with { type: 'json' };
import { openServers, type Server, stop } from '../../bench/turn-servers.ts';

/** How much a turn may grow before someone must look at it, and either make it cheaper or raise the budget. */
const GROWTH = 1.2;
/** The package is built first, unless another test has done it. */
const BUILD_MS = 300_000;
const BURSTS = { seconds: 1, rounds: 3 };

const cleanup = new AsyncDisposableStack();
let servers: { ask: Ask; ours: Server; hand: Server };

beforeAll(async () => {
  const { ask, startHand, startOurs, close } = await openServers();
  cleanup.defer(close);
  const hand = await startHand();
  cleanup.defer(() => stop(hand.child));
  const ours = await startOurs();
  cleanup.defer(() => stop(ours.child));
  servers = { ask, hand, ours };
  for (const server of [hand, ours]) await burst(() => ask(server), server.cpu, { atOnce: 8, seconds: 3 }); // warm
}, BUILD_MS);

afterAll(() => cleanup.disposeAsync());

test.for(Object.entries(BUDGET))(
  'a turn, %s at once, takes at most %s times the CPU time of a hand-written server',
  { retry: 2 },
  async ([atOnce, budget]) => {
    const { ratio } = await compareTurns(servers.ask, servers, { atOnce: Number(atOnce), ...BURSTS });
    console.log(`${atOnce} at once: ${ratio.toFixed(1)} times, the budget is ${budget}`);
    expect(ratio).toBeLessThan(budget * GROWTH);
  },
);
