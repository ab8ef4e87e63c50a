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
  /** The version that writes. */
  readonly reborn: string;
  readonly files?: readonly ArchivedFile[];
  readonly onTable?: (table: string, sum: TableSum) => void;
};

/**
 * Everything that is committed now, as the text of an archive; others go on writing meanwhile. `client` must see every
 * row of every owner.
 */
export async function* writeArchive(client: pg.Client, options: WriteOptions): AsyncGenerator<Buffer> {
  await client.query(`begin isolation level repeatable read read only; ${SPELLING}`);
  try {
    const hidden = await findHiddenTables(client);
    if (hidden.length > 0) throw new Error(`An archive would lack rows of ${hidden.join(', ')}: no policy shows them.`);

    yield line(await describe(client, options.reborn));
    for (const file of options.files ?? []) yield line(file);
    const tables = await listArchivedTables(client);
    for (const table of tables) yield* writeTable(client, table, options);
    yield line({ end: true, tables: tables.length } satisfies ArchiveEnd);
  } finally {
    await client.query('rollback').catch(() => {}); // it has only read; a lost connection was told already
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
  if (schema === undefined)
    throw new Error('There is nothing to save: Reborn has never kept anything in this database.');
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const postgres = rows[0]?.server_version ?? '';
  return { format: 'reborn-archive', version: 1, createdAt: new Date().toISOString(), reborn, postgres, schema };
}

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

/**
 * A policy hides rows without a word, and an archive without them would look like a whole one. This names the tables
 * that no policy opens to this session: it must carry a mark that one of their policies asks for.
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
