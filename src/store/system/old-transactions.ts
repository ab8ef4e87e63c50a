import type { SystemConnection } from './system-connection.ts';

/** A transaction that keeps PostgreSQL from removing the rows that were deleted since its start. */
export type OldTransaction = {
  readonly pid: number;
  readonly program: string;
  readonly state: string;
  readonly minutes: number;
};

/** The transactions in this database that are older than `minutes`, as far as the role may see them, oldest first. */
export async function listOldTransactions(system: SystemConnection, minutes: number): Promise<OldTransaction[]> {
  const { rows } = await system.query<OldTransaction>(
    `select pid, application_name as program, state, floor(extract(epoch from now() - xact_start) / 60)::integer as minutes
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start <= now() - make_interval(mins => $1)
     order by xact_start`,
    [minutes],
  );
  return rows;
}
