import { readdirSync, readFileSync } from 'node:fs';

/** The CPU time of a process, in ms. Linux only. */
export function cpuOf(process: number): number {
  return (processes().find(({ pid }) => pid === process)?.used ?? 0) * MS_PER_TICK;
}

/** The CPU time of a postmaster and its children, including ended ones, in ms. Linux only. */
export function postgresCpu(postmaster: number): number {
  const all = processes();
  const children = all.filter(({ parent }) => parent === postmaster).reduce((sum, { used }) => sum + used, 0);
  const own = all.find(({ pid }) => pid === postmaster);
  return (children + (own ? own.used + own.usedByEnded : 0)) * MS_PER_TICK;
}

/** The memory of a process in MB. Pages that several processes share are divided among them. Linux only. */
export function memoryOf(process: number): number {
  const sizes = readFileSync(`/proc/${process}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(sizes)?.[1]) / 1024;
}

type Query = (statement: string) => Promise<readonly { readonly pid: number }[]>;

/** The postmaster of a server; undefined when it is not on this machine. The connection that asks may be closed at once. */
export async function findPostmaster(query: Query): Promise<number | undefined> {
  const [backend] = await query(
    `select pid from pg_stat_activity where backend_type = 'client backend' order by pid = pg_backend_pid() limit 1`,
  );
  return processes().find(({ pid }) => pid === backend?.pid)?.parent;
}

export type Process = {
  readonly pid: number;
  readonly parent: number;
  /** Its parent has not asked for its exit code yet. */
  readonly ended: boolean;
  /** Clock ticks of CPU time. */
  readonly used: number;
  readonly usedByEnded: number;
};

export const MS_PER_TICK = 10;

export function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The second field is the name in parentheses, which may contain spaces.
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        const at = (index: number) => Number(fields[index]);
        const ended = fields[0] === 'Z';
        return [{ pid: Number(name), parent: at(1), ended, used: at(11) + at(12), usedByEnded: at(13) + at(14) }];
      } catch {
        return []; // it has ended in the meantime
      }
    });
}
