import path from 'node:path';
import { migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { connectStore } from '#store/connection.ts';
import { freshHome } from './fresh-home.ts';

/** A migrated database of its own, and the home it lies in. */
export async function openMigratedDatabase() {
  const fresh = await freshHome();
  const server = await openDatabase({ url: fresh.env.DATABASE_URL, home: fresh.home });
  await migrateDatabase(server.connection, path.join(import.meta.dirname, '../../migrations'));
  const connect = () => connectStore(server.connection, () => {});
  const db = connect();
  return {
    db,
    connect,
    connection: server.connection,
    async close() {
      await db.destroy();
      await server.close();
      await fresh.remove();
    },
  };
}
