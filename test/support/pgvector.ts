import pg from 'pg';

/** Whether the test databases have pgvector; the embedded ones never do. */
export const hasPgvector = await lookForPgvector(process.env['DATABASE_URL']);

async function lookForPgvector(server: string | undefined): Promise<boolean> {
  if (!server) return false;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query(`select from pg_extension where extname = 'vector'`)).rowCount === 1;
  } finally {
    await client.end();
  }
}
