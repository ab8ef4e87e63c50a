import type pg from 'pg';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { openQueue } from '#engine/queue.ts';

/** The tables of a service, and those of its queue, as its first start makes them; without any rows. */
export async function prepareSchema(connection: pg.PoolConfig): Promise<void> {
  await migrateDatabase(connection, MIGRATIONS);
  const pool = connectEngine(connection, () => {});
  try {
    const queue = await openQueue(pool, () => {});
    await queue.stop();
  } finally {
    await pool.end();
  }
}
