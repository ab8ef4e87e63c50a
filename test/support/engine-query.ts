import pg from 'pg';

/** Looks into the tables with the engine's eyes, which see everybody's rows. */
export async function engineQuery<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // cut lines are what some tests are about; the query reports it
  await client.connect();
  try {
    await client.query(`set app.engine = 'on'`);
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
