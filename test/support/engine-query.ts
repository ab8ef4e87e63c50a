import pg from 'pg';

/** Queries the tables with the engine's rights, which see the rows of all users. */
export async function engineQuery<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // some tests cut connections; the query reports it
  await client.connect();
  try {
    await client.query(`set app.engine = 'on'`);
    return (await client.query<T>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
