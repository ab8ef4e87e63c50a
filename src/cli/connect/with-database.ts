import { claimCell } from '#cells/claim-cell.ts';
import { type Config, readConfig } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import { INDEXES_LATER, MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import type { Principal } from '#domain/principal.ts';
import { connectStore, type Database } from '#store/connection.ts';
import { runCommand } from '../run-command.ts';

/** Commands read the database directly, so the audit log names them as a separate operator. */
export const COMMAND_LINE: Principal = { userId: 'command-line', role: 'operator' };

export type OpenedDatabase = {
  readonly config: Config;
  readonly db: Database;
  readonly connection: OpenDatabase['connection'];
};

/** Does something directly on the database. The service need not run, but may. */
export function withDatabase(act: (opened: OpenedDatabase) => Promise<void>): Promise<void> {
  return runCommand(async () => {
    await using undo = new AsyncDisposableStack();
    const config = readConfig();
    await makeHome(config.home);
    const database = await openDatabase({ url: config.databaseUrl, home: config.home });
    undo.defer(() => database.close());
    const { connection } = database;
    await migrateDatabase(connection, MIGRATIONS, undefined, INDEXES_LATER);
    await claimCell(connection, config);
    const db = connectStore(connection, () => {}); // a cut line fails the query, which reports it
    undo.defer(() => db.destroy());
    await act({ config, db, connection });
  });
}
