import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './ask.ts';
import type { Running } from './peer.ts';
import { cpuOfTree, runningTree } from './process-tree.ts';

const SETTLE_MS = 120_000;
const IDLE_CPU_MS = 30;

export type Burst = { readonly cpuMs: number; readonly perSecond: number };

/** Runs turns for some seconds, `atOnce` at a time, each in a new conversation. */
export async function burst(server: Running, atOnce: number, seconds: number): Promise<Burst> {
  const roots = await server.roots();
  const started = performance.now();
  const cpu = cpuOfTree(runningTree(roots));
  let turns = 0;
  const lane = async () => {
    while (performance.now() - started < seconds * 1000) {
      await ask(server, { text: 'Hello', stream: false });
      turns++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return {
    cpuMs: (cpuOfTree(runningTree(roots)) - cpu) / turns,
    perSecond: turns / ((performance.now() - started) / 1000),
  };
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

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
