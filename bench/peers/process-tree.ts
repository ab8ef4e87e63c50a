import { MS_PER_TICK, memoryOf, type Process, processes } from '../process-cost.ts';

/** The processes under `roots`, and the roots themselves. */
export function findTree(all: readonly Process[], roots: readonly number[]): Process[] {
  const found = all.filter(({ pid }) => roots.includes(pid));
  for (const { pid } of found) found.push(...all.filter((each) => each.parent === pid && !found.includes(each)));
  return found;
}

/** The CPU time of a tree, including its ended processes, in ms. */
export const cpuOfTree = (tree: readonly Process[]): number =>
  tree.reduce((sum, { used, usedByEnded }) => sum + used + usedByEnded, 0) * MS_PER_TICK;

export const runningTree = (roots: readonly number[]): Process[] => findTree(processes(), roots);

/** The memory of the processes in MB. */
export const memoryOfTree = (tree: readonly Process[]): number =>
  tree.filter(({ ended }) => !ended).reduce((sum, { pid }) => sum + memoryOf(pid), 0);
