import { readdirSync, readFileSync } from 'node:fs';

/** The CPU time, in ms, that a postmaster and its living children have used since they started. Linux only. */
export function postgresCpu(postmaster: number): number {
  const ticks = processes()
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .reduce((sum, { used }) => sum + used, 0);
  return ticks * MS_PER_TICK;
}

const MS_PER_TICK = 10;

function processes(): { pid: number; parent: number; used: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The second field is the name in brackets, which may hold spaces.
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
        return [{ pid: Number(name), parent: Number(fields[1]), used: Number(fields[11]) + Number(fields[12]) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}
