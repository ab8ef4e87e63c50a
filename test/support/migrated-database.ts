import pg from 'pg';
import { connectStore } from '#store/connection.ts';
import { freshHome } from './fresh-home.ts';
import { connectionOf } from './prepared-template.ts';

/** A new migrated database. */
export async function openMigratedDatabase() {
  await using undo = new AsyncDisposableStack();
  const fresh = await freshHome({ shared: true });
  undo.defer(() => fresh.remove());
  const connection = connectionOf(fresh.env.DATABASE_URL ?? '');

  const connect = () => connectStore(connection, () => {});
  const db = connect();
  undo.defer(() => db.destroy());
  const connectEverything = (settings: Record<string, string> = {}) => {
    const options = Object.entries({ ...settings, 'app.engine': 'on' }).map(([name, value]) => `-c ${name}=${value}`);
    const pool = new pg.Pool({ ...connection, options: options.join(' ') });
    pool.on('error', () => {}); // a cut connection fails its query, which reports it
    return pool;
  };
  const everything = connectEverything();
  undo.defer(() => everything.end());

  const opened = undo.move();
  return {
    db,
    connection,
    /** A separate pool, as another replica would have. */
    connect,
    /** Sees the rows of all owners, as only the engine does. */
    everything,
    /** The same with a separate pool, whose sessions have these settings. */
    connectEverything,
    close: () => opened.disposeAsync(),
  };
}
