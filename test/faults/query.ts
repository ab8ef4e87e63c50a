import type pg from 'pg';
import { engineQuery } from '../support/engine-query.ts';
import type { Cluster } from './cluster.ts';

/** Looks into the tables of a cluster with the engine's eyes. */
export function query<T extends pg.QueryResultRow>(
  cluster: Pick<Cluster, 'connection'>,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  return engineQuery<T>(cluster.connection, statement, values);
}
