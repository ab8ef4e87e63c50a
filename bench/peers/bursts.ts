import { setTimeout as sleep } from 'node:timers/promises';
import { type Burst, burst } from '../burst.ts';
import { ask } from './ask.ts';
import type { Running } from './peer.ts';
import { cpuOfTree, runningTree } from './process-tree.ts';

const SETTLE_MS = 120_000;
const IDLE_CPU_MS = 30;

/** Turns of a server, each in a new conversation, with the CPU time of all its processes. */
export async function burstOf(server: Running, atOnce: number, seconds: number): Promise<Burst> {
  const roots = await server.roots();
  const turn = () => ask(server, { text: 'Hello', stream: false });
  return burst(turn, () => cpuOfTree(runningTree(roots)), { atOnce, seconds });
}

/** Waits until the server has no work left from its start, such as an index that it builds. */
export async function settle(server: Running): Promise<void> {
  const roots = await server.roots();
  const end = performance.now() + SETTLE_MS;
  for (let used = Infinity; used > IDLE_CPU_MS && performance.now() < end; ) {
    const before = cpuOfTree(runningTree(roots));
    await sleep(1000);
    used = cpuOfTree(runningTree(roots)) - before;
  }
}
