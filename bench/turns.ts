import { setTimeout as sleep } from 'node:timers/promises';
import { burst, median } from './burst.ts';
import { compareTurns } from './compare-turns.ts';
import { givenWords } from './given-words.ts';
import { memoryOf } from './process-cost.ts';
import { saveResult } from './results/save-result.ts';
import { openServers, stop } from './turn-servers.ts';

/**
 * The cost of a start and of a turn: the packed program compared with a minimal hand-written server. Compare the ratios. CPU
 * time includes Node and, for the service, PostgreSQL. `npm run bench:turns -- 2` measures for 2 seconds at a time
 * instead of 4.
 */
const SECONDS = Number(givenWords[0] ?? 4);
const ROUNDS = 3;
const AT_ONCE = [1, 8, 32];
const STARTS = 3;
const FIRST_TOKENS = 60;

const { ask, startHand, startOurs, close } = await openServers();

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await stop((await startOurs()).child); // the first start compiles the program
const starts: { milliseconds: number; cpu: number }[] = [];
for (let index = 1; index < STARTS; index++) {
  const started = await startOurs();
  starts.push(started.start);
  await stop(started.child);
}
const ours = await startOurs();
starts.push(ours.start);
const start = {
  milliseconds: median(starts.map(({ milliseconds }) => milliseconds)),
  cpu: median(starts.map(({ cpu }) => cpu)),
};
print(`start to first answer ${start.milliseconds.toFixed(0)} ms, ${start.cpu.toFixed(0)} ms of CPU`);
await sleep(3000);
const idle = memoryOf(ours.pid);

const hand = await startHand();
for (const server of [hand, ours]) await burst(() => ask(server), server.cpu, { atOnce: 8, seconds: SECONDS }); // warm
const turns = [];
for (const atOnce of AT_ONCE) {
  const compared = await compareTurns(ask, { ours, hand }, { atOnce, seconds: SECONDS, rounds: ROUNDS });
  turns.push({ at_once: atOnce, ...compared });
  print(
    `${atOnce} at once: ${compared.ours.cpu.toFixed(1)} ms of CPU a turn, by hand ${compared.hand.cpu.toFixed(1)} ` +
      `(${compared.ratio.toFixed(1)} times); ` +
      `${compared.ours.perSecond.toFixed(0)} turns a second, by hand ${compared.hand.perSecond.toFixed(0)}`,
  );
}
const first = { hand: [] as number[], ours: [] as number[] };
for (let index = 0; index < FIRST_TOKENS; index++) {
  first.hand.push((await ask(hand, true)).first);
  first.ours.push((await ask(ours, true)).first);
}
const firstToken = { ours: median(first.ours), hand: median(first.hand) };
const memory = { idle, after_load: memoryOf(ours.pid) };
print(`first token ${firstToken.ours.toFixed(1)} ms, by hand ${firstToken.hand.toFixed(1)} ms`);
print(`memory of Node: ${idle.toFixed(0)} MB idle, ${memory.after_load.toFixed(0)} MB after the load`);
saveResult('turns', { start, turns, first_token_ms: firstToken, memory_mb: memory });

await Promise.all([stop(ours.child), stop(hand.child)]);
await close();
