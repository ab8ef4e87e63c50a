import type pg from 'pg';
import { engineQuery } from '../support/engine-query.ts';
import type { Cluster } from './cluster.ts';

/** Queries the tables of a cluster with the engine's rights. */
export function query<T extends pg.QueryResultRow>(
  cluster: Pick<Cluster, 'connection'>,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  return engineQuery<T>(cluster.connection, statement, values);
}
