import pg from 'pg';
import { createSum, SPELLING, type TableSum } from './archive-format.ts';
import { type ArchivedTable, copyStatement, listArchivedTables, quoteAll } from './archived-tables.ts';
import { copyIn } from './copy-in.ts';
import { copyOut } from './copy-out.ts';
import { type Archive, BrokenArchive, type ReadTable } from './read-archive.ts';

/** The database already has rows; an archive is never mixed with them. */
export class NotEmpty extends Error {
  override readonly name = 'NotEmpty';
}

export type LoadEvents = {
  readonly onTable?: (table: string, sum: TableSum) => void;
  /** For data that belongs to the rows but is stored elsewhere: if it fails, the rows are rolled back too. */
  readonly beforeCommit?: () => Promise<void>;
};

/**
 * Loads all rows of the archive into an empty database of the same schema, in one transaction, and reads each table back
 * to compare its checksum. `client` must be the tables' owner.
 */
export async function loadArchive(client: pg.Client, archive: Archive, events: LoadEvents = {}): Promise<void> {
  await client.query(`begin; set local lock_timeout = '10s'; ${SPELLING}`);
  try {
    const tables = await listArchivedTables(client);
    await takeOver(client, tables);
    for await (const read of archive.tables) {
      const sum = await loadTable(client, getTable(tables, read), read);
      events.onTable?.(read.name, sum);
    }
    await giveBack(client, tables);
    await events.beforeCommit?.();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the first error is the one to report
    throw error;
  }
}

/** `COPY … FROM` does not work under row-level security. Other sessions can't see the tables until the commit, so nothing is exposed. */
async function takeOver(client: pg.Client, tables: readonly ArchivedTable[]): Promise<void> {
  for (const { name, forced } of tables) {
    const table = pg.escapeIdentifier(name);
    await lock(client, table);
    if (forced) await client.query(`alter table ${table} no force row level security`);
    const { rowCount } = await client.query(`select from ${table} limit 1`);
    if (rowCount) throw new NotEmpty(`The database is not empty: there are rows in ${name}. Use an empty database.`);
  }
}

async function lock(client: pg.Client, table: string): Promise<void> {
  try {
    await client.query(`lock table ${table} in access exclusive mode`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    throw new Error('The database is in use. Stop every service on it, then try again.', { cause: error });
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

async function loadTable(client: pg.Client, table: ArchivedTable, read: ReadTable): Promise<TableSum> {
  await copyIn(client, `copy ${pg.escapeIdentifier(table.name)} (${quoteAll(read.columns)}) from stdin`, read.rows);
  const written = read.sum();
  const loaded = await addUp(client, { ...table, columns: read.columns });
  if (loaded.sha256 !== written.sha256)
    throw new Error(`The rows of ${table.name} are not the same after loading, so none were kept.`);
  return loaded;
}

async function addUp(client: pg.Client, table: ArchivedTable): Promise<TableSum> {
  const sum = createSum();
  for await (const rows of copyOut(client, copyStatement(table)) as AsyncIterable<Buffer>) sum.add(rows);
  return sum.total();
}

async function giveBack(client: pg.Client, tables: readonly ArchivedTable[]): Promise<void> {
  for (const { name, forced, identity } of tables) {
    const table = pg.escapeIdentifier(name);
    if (identity)
      await client.query(
        `select setval(pg_get_serial_sequence($1, $2), max(${pg.escapeIdentifier(identity)})) from ${table}`,
        [table, identity],
      );
    if (forced) await client.query(`alter table ${table} force row level security`);
  }
}

function getTable(tables: readonly ArchivedTable[], { name, columns }: ReadTable): ArchivedTable {
  const table = tables.find((other) => other.name === name);
  if (table && columns.every((column) => table.columns.includes(column))) return table;
  throw new BrokenArchive(`The archive's table ${name} does not fit this database. Upgrade Reborn, then try again.`);
}
