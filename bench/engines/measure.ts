import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../test/support/wait-for.ts';
import type { Burst } from '../burst.ts';
import { cpuOfTree, memoryOfTree, runningTree } from '../peers/process-tree.ts';
import { postgresCpu } from '../process-cost.ts';
import type { Contender, Opened } from './contender.ts';
import type { Input } from './hosted.ts';
import type { Worker } from './worker.ts';

const AT_ONCE = [1, 16, 64];
/** A survivor judges others only after a steady while. */
const STEADY_MS = 3000;
const TAKEOVER_MS = 90_000;
const LATE_MS = 150_000;
const GATES_MS = 600_000;
const IDLE_MS = 10_000;

const newInput = (): Input => ({ id: randomUUID(), thread: randomUUID() });

/** Opens the engine, and ends all its workers afterwards. */
async function withEngine<T>(
  contender: Contender,
  act: (opened: Opened, start: Opened['startWorker']) => Promise<T>,
): Promise<T> {
  const opened = await contender.open();
  const workers: Worker[] = [];
  const start: Opened['startWorker'] = async (...how) => {
    const worker = await opened.startWorker(...how);
    workers.push(worker);
    return worker;
  };
  try {
    return await act(opened, start);
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await opened.close();
  }
}

const cpuOf = (postmaster: number, pids: readonly number[]): number =>
  postgresCpu(postmaster) + cpuOfTree(runningTree(pids));

/** The CPU time of a turn of all processes, in ms, by the number of turns at once. */
export function measureCost(
  contender: Contender,
  postmaster: number,
  seconds: number,
): Promise<(Burst & { readonly atOnce: number })[]> {
  return withEngine(contender, async (opened, start) => {
    const worker = await start('worker');
    const pids = [worker.pid, ...opened.pids];
    await worker.ask<Burst>({ ask: 'burst', atOnce: 16, seconds: 2 }); // warm
    const bursts = [];
    for (const atOnce of AT_ONCE) {
      const before = cpuOf(postmaster, pids);
      const began = performance.now();
      const { perSecond } = await worker.ask<Burst>({ ask: 'burst', atOnce, seconds });
      const turns = perSecond * ((performance.now() - began) / 1000);
      bursts.push({ atOnce, perSecond, cpu: (cpuOf(postmaster, pids) - before) / turns });
    }
    return bursts;
  });
}

/** Milliseconds from `kill -9` of a worker until another one runs its turns, for each turn. */
export function measureTakeover(
  contender: Contender,
  { kills, turns }: { readonly kills: number; readonly turns: number },
): Promise<number[]> {
  return withEngine(contender, async (_, start) => {
    const times: number[] = [];
    let victim = await start('worker-0', { identity: 'same' });
    for (let kill = 1; kill <= kills; kill++) {
      const inputs = Array.from({ length: turns }, () => ({ ...newInput(), hangOn: victim.name }));
      for (const input of inputs) await victim.ask({ ask: 'accept', input });
      for (const { id } of inputs) await victim.wait('hangs', id);
      const begin = () => start(`worker-${kill}`, { identity: 'same' });
      let survivor = contender.takesOver ? await begin() : undefined;
      await sleep(contender.takesOver ? STEADY_MS + Math.random() * 1000 : 0);
      const killed = Date.now();
      await victim.kill();
      survivor ??= await begin();
      for (const { id } of inputs) times.push((await survivor.wait('started', id, TAKEOVER_MS)).at - killed);
      for (const { id } of inputs) await survivor.wait('ended', id);
      victim = survivor;
    }
    return times;
  });
}

export type Order = { readonly isKept: boolean; readonly observed: string };

/** Eight inputs of one thread. The worker of the first one is killed while they wait. */
export function checkOrder(contender: Contender): Promise<Order> {
  return withEngine(contender, async (_, start) => {
    const victim = await start('victim', { identity: 'same' });
    const thread = randomUUID();
    const inputs = Array.from({ length: 8 }, (__, index) => ({
      ...newInput(),
      thread,
      isOrdered: true,
      follows: index > 0,
      ...(index === 0 && { hangOn: victim.name }),
    }));
    const [first, ...others] = inputs;
    if (first) await victim.ask({ ask: 'accept', input: first });
    if (first) await victim.wait('hangs', first.id);
    for (const input of others) await victim.ask({ ask: 'accept', input });
    let survivor = contender.takesOver ? await start('survivor', { identity: 'same' }) : undefined;
    await sleep(STEADY_MS);
    await victim.kill();
    survivor ??= await start('survivor', { identity: 'same' });
    const finder = survivor;
    const endOf = ({ id }: Input) => finder.find('ended', id) ?? victim.find('ended', id);
    await waitFor('all turns to end', async () => inputs.every(endOf), TAKEOVER_MS);

    const ends = inputs.map((input) => endOf(input)?.at ?? 0);
    const early = victim.notes.filter(({ note }) => note === 'started').length - 1;
    const isKept = early === 0 && ends.every((end, index) => end >= (ends[index - 1] ?? 0));
    return { isKept, observed: isKept ? 'one after the other' : `${early} of 7 overtook the first one` };
  });
}

export type LateWriter = { readonly isRefused: boolean; readonly tookOverMs: number; readonly observed: string };

/** A worker is stopped in the middle of a turn, another one ends the turn, and the first one continues. */
export function checkLateWriter(contender: Contender): Promise<LateWriter> {
  return withEngine(contender, async (_, start) => {
    const late = await start('late', { identity: 'same', isFenced: false });
    const input = { ...newInput(), hangOn: late.name };
    await late.ask({ ask: 'accept', input });
    await late.wait('hangs', input.id);
    const begin = () => start('other', { identity: 'same', isFenced: false });
    const ready = contender.takesOver ? await begin() : undefined;
    await sleep(STEADY_MS);
    const paused = Date.now();
    late.pause();
    const other = ready ?? (await begin());
    const { at } = await other.wait('ended', input.id, LATE_MS);
    const released = late.ask({ ask: 'release' }).catch(() => undefined); // it may end itself
    late.resume();
    await released;
    const told = () => late.find('refused', input.id) ?? late.find('ended', input.id);
    await waitFor('the late worker', async () => told() ?? late.isEnded(), 10_000).catch(() => undefined); // or it is silent
    const third = (await other.ask<string[]>({ ask: 'findWriters', input: input.id }))[2];
    const { note, reason } = told() ?? {};
    const said = note === 'refused' ? `refused: ${reason}` : note === 'ended' ? 'it believes that it wrote' : 'silent';
    return {
      isRefused: third === other.name,
      tookOverMs: at - paused,
      observed: late.isEnded() ? 'its process ended itself' : said,
    };
  });
}

export type Gates = {
  readonly count: number;
  /** CPU ms to open one. */
  readonly openCpu: number;
  /** CPU ms in a second of waiting, with and without gates. */
  readonly idleCpu: number;
  readonly idleCpuBefore: number;
  /** MB of the worker and of the engine's server, with and without gates. PostgreSQL is not counted. */
  readonly memory: number;
  readonly memoryBefore: number;
  /** Bytes of storage for each. */
  readonly bytes: number;
  /** Median ms from an answer to the end of the turn. */
  readonly answerMs: number;
};

/** Many turns that wait for an answer at the same time. */
export function measureGates(contender: Contender, postmaster: number, count: number): Promise<Gates> {
  return withEngine(contender, async (opened, start) => {
    const worker = await start('worker');
    const pids = [worker.pid, ...opened.pids];
    const rest = async () => {
      const cpu = cpuOf(postmaster, pids);
      await sleep(IDLE_MS);
      return {
        cpu: (cpuOf(postmaster, pids) - cpu) / (IDLE_MS / 1000),
        memory: memoryOfTree(runningTree(pids)),
      };
    };
    await worker.ask({ ask: 'burst', atOnce: 16, seconds: 2 }); // warm
    const idle = await rest();
    const waitingBefore = await worker.ask<number>({ ask: 'countWaiting' });
    const stored = await opened.stored();
    const cpu = cpuOf(postmaster, pids);
    await worker.ask({ ask: 'openGates', count });
    const areOpen = async () =>
      (await worker.ask<number>({ ask: 'countWaiting' })) - waitingBefore >= count || sleep(500, false);
    await waitFor('all gates to be open', areOpen, GATES_MS);
    const openCpu = (cpuOf(postmaster, pids) - cpu) / count;
    const bytes = ((await opened.stored()) - stored) / count;
    await sleep(IDLE_MS); // what is left to do
    const waiting = await rest();
    return {
      count,
      openCpu,
      idleCpu: waiting.cpu,
      idleCpuBefore: idle.cpu,
      memory: waiting.memory,
      memoryBefore: idle.memory,
      bytes,
      answerMs: await worker.ask<number>({ ask: 'answerGates', count: 50 }),
    };
  });
}
