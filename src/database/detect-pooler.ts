import type pg from 'pg';

/**
 * Whether something between us and PostgreSQL hands out a server process for one transaction at a time. LISTEN, advisory
 * locks and settings belong to a process, so they would be lost, or show up in somebody else's session.
 *
 * `first` and `second` are two open connections. Each must keep one process, and not the same one as the other. `first`
 * asks twice in a row, so that a pooler that takes its processes in turns is found as well.
 */
export async function isPooledByTransaction(first: pg.Client, second: pg.Client): Promise<boolean> {
  const processes: [Set<number>, Set<number>] = [new Set(), new Set()];
  for (const which of [0, 0, 1, 0, 1, 1] as const) {
    const { rows } = await (which === 0 ? first : second).query<{ pid: number }>('select pg_backend_pid() as pid');
    processes[which].add(rows[0]?.pid ?? 0);
  }
  return processes[0].size > 1 || processes[1].size > 1 || !processes[0].isDisjointFrom(processes[1]);
}
