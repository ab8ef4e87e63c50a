import type { ReplicaId } from '#domain/ids.ts';
import type { SystemConnection } from './system-connection.ts';

export type ReplicaState = {
  readonly id: ReplicaId;
  readonly startedAt: Date;
  readonly running: number;
  /** A summary of its model settings; null for a replica of an older version. */
  readonly model: string | null;
  readonly self: boolean;
};

/** The replicas that are alive, or were until a moment ago, oldest first. */
export async function findReplicas(system: SystemConnection, self: ReplicaId): Promise<ReplicaState[]> {
  const { rows } = await system.query<ReplicaState>(
    `select id, started_at as "startedAt", model, id = $1 as self,
       (select count(*)::integer from turns where status = 'running' and runner = replicas.id) as running
     from replicas order by started_at, id`,
    [self],
  );
  return rows;
}
