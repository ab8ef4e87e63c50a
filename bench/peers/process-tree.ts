import { readFileSync } from 'node:fs';
import { MS_PER_TICK, type Process, processes } from '../process-cpu.ts';

/** The processes under `roots`, and the roots themselves. */
export function findTree(all: readonly Process[], roots: readonly number[]): Process[] {
  const found = all.filter(({ pid }) => roots.includes(pid));
  for (const { pid } of found) found.push(...all.filter((each) => each.parent === pid && !found.includes(each)));
  return found;
}

/** The CPU time of a tree, with that of its ended processes, in ms. */
export const cpuOfTree = (tree: readonly Process[]): number =>
  tree.reduce((sum, { used, usedByEnded }) => sum + used + usedByEnded, 0) * MS_PER_TICK;

export const runningTree = (roots: readonly number[]): Process[] => findTree(processes(), roots);

/** The memory of the processes in MB. Pages that several processes share are divided among them. */
export function memoryOf(tree: readonly Process[]): number {
  const running = tree.filter(({ ended }) => !ended);
  const sizes = running.map(({ pid }) => /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
  return sizes.reduce((sum, size) => sum + Number(size), 0) / 1024;
}
