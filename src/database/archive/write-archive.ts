import type pg from 'pg';
import {
  type ArchivedFile,
  type ArchiveEnd,
  type ArchiveHeader,
  createSum,
  END_OF_ROWS,
  SPELLING,
  type TableStart,
  type TableSum,
} from './archive-format.ts';
import { type ArchivedTable, copyStatement, listArchivedTables } from './archived-tables.ts';
import { copyOut } from './copy-out.ts';
import { findSchema } from './find-schema.ts';

export type WriteOptions = {
  /** The version that writes the archive. */
  readonly reborn: string;
  readonly files?: readonly ArchivedFile[];
  readonly onTable?: (table: string, sum: TableSum) => void;
};

/**
 * The text of an archive of everything that is committed now; other sessions can continue to write. `client` must be able
 * to see every row of every owner.
 */
export async function* writeArchive(client: pg.Client, options: WriteOptions): AsyncGenerator<Buffer> {
  await client.query(`begin isolation level repeatable read read only; ${SPELLING}`);
  try {
    const hidden = await findHiddenTables(client);
    if (hidden.length > 0)
      throw new Error(`The archive would be incomplete: row-level security hides the rows of ${hidden.join(', ')}.`);

    yield line(await describe(client, options.reborn));
    for (const file of options.files ?? []) yield line(file);
    const tables = await listArchivedTables(client);
    for (const table of tables) yield* writeTable(client, table, options);
    yield line({ end: true, tables: tables.length } satisfies ArchiveEnd);
  } finally {
    await client.query('rollback').catch(() => {}); // read only; a lost connection was already reported
  }
}

async function* writeTable(client: pg.Client, table: ArchivedTable, { onTable }: WriteOptions): AsyncGenerator<Buffer> {
  yield line({ table: table.name, columns: table.columns } satisfies TableStart);
  const sum = createSum();
  for await (const rows of copyOut(client, copyStatement(table)) as AsyncIterable<Buffer>) {
    sum.add(rows);
    yield rows;
  }
  const total = sum.total();
  yield Buffer.from(`${END_OF_ROWS}\n`);
  yield line(total);
  onTable?.(table.name, total);
}

async function describe(client: pg.Client, reborn: string): Promise<ArchiveHeader> {
  const schema = await findSchema(client);
  if (schema === undefined) throw new Error('There is nothing to archive: Reborn has never used this database.');
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const postgres = rows[0]?.server_version ?? '';
  return { format: 'reborn-archive', version: 1, createdAt: new Date().toISOString(), reborn, postgres, schema };
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/**
 * A policy hides rows silently, and an archive without them would look complete. This returns the tables that no policy
 * opens to this session, because it lacks the setting that one of their policies requires.
 */
async function findHiddenTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(HIDDEN);
  return rows.map(({ name }) => name);
}

const HIDDEN = `
  select relname::text as name from pg_class as tables
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
    and row_security_active(tables.oid)
    and not exists (
      select from pg_policy, regexp_matches(
        pg_get_expr(polqual, polrelid), 'current_setting\\(''([^'']+)''::text, true\\)[^='']*= ''on''', 'g'
      ) as mark
      where polrelid = tables.oid and polpermissive and polcmd in ('r', '*') and current_setting(mark[1], true) = 'on'
    )
  order by relname`;
