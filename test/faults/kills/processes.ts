import { readdirSync, readFileSync } from 'node:fs';

/** A sandbox as this machine sees it: bubblewrap, the runner in it, and what the runner has started. */
export type Seen = {
  readonly bubblewrap: number;
  readonly runner: number | undefined;
  readonly guests: readonly number[];
};

/** The sandboxes of a service. */
export function sandboxesOf(service: number): Seen[] {
  return childrenOf(service)
    .filter((pid) => read(pid, 'comm').trim() === 'bwrap')
    .map((bubblewrap) => {
      const [runner] = childrenOf(bubblewrap);
      return { bubblewrap, runner, guests: runner === undefined ? [] : childrenOf(runner).filter(isAwake) };
    });
}

/** The processes whose command line has these words. */
export function processesWith(words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && read(pid, 'cmdline').includes(words));
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    read(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it has ended
  }
}

/** The interpreter is stopped between calls. */
const isAwake = (pid: number) => /^State:\s+[RSD]/m.test(read(pid, 'status'));

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
