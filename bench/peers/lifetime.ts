import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../test/support/wait-for.ts';
import { processes } from '../process-cost.ts';
import { ask } from './ask.ts';
import type { Peer, Running, Setup } from './peer.ts';
import { cpuOfTree, runningTree } from './process-tree.ts';

const START_MS = 600_000;
const STOP_MS = 30_000;

export type Started = Running & { readonly milliseconds: number; readonly startCpu: number };

/** From the start of the process to its first answer. */
export async function start(peer: Peer, setup: Setup): Promise<Started> {
  const started = performance.now();
  const server = await peer.start(setup);
  const answers = async () => {
    if (runningTree(await server.roots()).every(({ ended }) => ended)) throw new Error(`${peer.name} has ended.`);
    return tryToAsk(server);
  };
  await waitFor(`${peer.name} to answer`, answers, START_MS);
  const milliseconds = performance.now() - started;
  return { ...server, milliseconds, startCpu: cpuOfTree(runningTree(await server.roots())) };
}

const tryToAsk = (server: Running): Promise<boolean> =>
  ask(server, { text: 'Hello', stream: false }).then(
    () => true,
    () => sleep(100, false), // it does not listen yet
  );

/** Asks the server to end; ends what is left of it after a while. */
export async function stop(server: Running): Promise<void> {
  const roots = await server.roots();
  const tree = runningTree(roots).map(({ pid }) => pid);
  signal(roots.slice(0, 1), 'SIGTERM');
  const end = performance.now() + STOP_MS;
  while (leftOf(tree).length > 0 && performance.now() < end) await sleep(50);
  await kill(leftOf(tree));
}

/** `kill -9` of all processes of the server at once. */
export async function crash(server: Running): Promise<void> {
  await kill(runningTree(await server.roots()).map(({ pid }) => pid));
}

async function kill(pids: readonly number[]): Promise<void> {
  signal(pids, 'SIGKILL');
  await waitFor('the processes to end', () => Promise.resolve(leftOf(pids).length === 0));
}

const leftOf = (pids: readonly number[]): number[] =>
  processes().flatMap(({ pid, ended }) => (pids.includes(pid) && !ended ? [pid] : []));

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended by itself
    }
}
