import path from 'node:path';
import pg from 'pg';
import { migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { connectStore } from '#store/connection.ts';
import { freshHome } from './fresh-home.ts';

const MIGRATIONS = path.join(import.meta.dirname, '../../migrations');

/** A new migrated database. */
export async function openMigratedDatabase() {
  await using undo = new AsyncDisposableStack();
  const fresh = await freshHome();
  undo.defer(() => fresh.remove());
  const server = await openDatabase({ url: fresh.env.DATABASE_URL, home: fresh.home });
  undo.defer(() => server.close());
  await migrateDatabase(server.connection, MIGRATIONS);

  const connect = () => connectStore(server.connection, () => {});
  const db = connect();
  undo.defer(() => db.destroy());
  const connectEverything = (settings: Record<string, string> = {}) => {
    const options = Object.entries({ ...settings, 'app.engine': 'on' }).map(([name, value]) => `-c ${name}=${value}`);
    const pool = new pg.Pool({ ...server.connection, options: options.join(' ') });
    pool.on('error', () => {}); // a cut connection fails its query, which reports it
    return pool;
  };
  const everything = connectEverything();
  undo.defer(() => everything.end());

  const opened = undo.move();
  return {
    db,
    connection: server.connection,
    /** A separate pool, as another replica would have. */
    connect,
    /** Sees the rows of all owners, as only the engine does. */
    everything,
    /** The same with a separate pool, whose sessions have these settings. */
    connectEverything,
    close: () => opened.disposeAsync(),
  };
}
