import pg from 'pg';
import type { Cluster } from './cluster.ts';

/** Looks into the tables with the engine's eyes. */
export async function query<T extends pg.QueryResultRow>(
  cluster: Cluster,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(cluster.connection);
  client.on('error', () => {}); // cut lines are what these tests are about; the query reports it
  await client.connect();
  try {
    await client.query(`set app.engine = 'on'`);
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
