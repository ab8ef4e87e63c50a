import pg from 'pg';

export type ArchivedTable = {
  readonly name: string;
  /** Without generated columns. */
  readonly columns: readonly string[];
  /** The sort order of its rows: the columns of its key, compared as bytes, independent of the database's collation. */
  readonly order: readonly string[];
  readonly identity: string | null;
  /** Whether row-level security applies to its owner, too. */
  readonly forced: boolean;
};

/** Tables about the running processes or the schema version, which the archive's header contains. */
const LEFT_OUT = ['replicas', 'kysely_migration', 'kysely_migration_lock'];

/**
 * Every table in an archive, ordered so that a table follows those it refers to. Unlogged tables are left out: a crash may
 * empty them at any time, and the service works without their rows.
 */
export async function listArchivedTables(client: pg.Client): Promise<ArchivedTable[]> {
  const { rows } = await client.query<ArchivedTable & { refersTo: string[] }>(TABLES, [LEFT_OUT]);
  const ordered: (ArchivedTable & { refersTo: string[] })[] = [];
  while (ordered.length < rows.length) {
    const names = new Set(ordered.map(({ name }) => name));
    const free = rows.filter(({ name, refersTo }) => !names.has(name) && refersTo.every((other) => names.has(other)));
    if (free.length === 0) throw new Error('Tables refer to each other in a cycle, so they cannot be archived.');
    ordered.push(...free);
  }
  return ordered.map(({ refersTo: _, ...table }) => table);
}

/** The rows are always in the same order, so that the same table always has the same checksum. */
export function copyStatement({ name, columns, order }: ArchivedTable): string {
  const sorted = order.length > 0 ? order.join(', ') : 'archived::text collate "C"';
  return `copy (select ${quoteAll(columns)} from ${pg.escapeIdentifier(name)} as archived order by ${sorted}) to stdout`;
}

export const quoteAll = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');

const TABLES = `
  select relname::text as name, relforcerowsecurity as forced,
    array(
      select attname::text from pg_attribute
      where attrelid = tables.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
    ) as columns,
    array(
      select quote_ident(attname) || case when attcollation = 0 then '' else ' collate "C"' end
      from pg_index, unnest(indkey) with ordinality as part (attnum, place)
      join pg_attribute using (attnum) where attrelid = tables.oid and indrelid = tables.oid and indisprimary
      order by place
    ) as "order",
    (select attname::text from pg_attribute where attrelid = tables.oid and attidentity <> '') as identity,
    array(
      select distinct other.relname::text from pg_constraint join pg_class as other on other.oid = confrelid
      where contype = 'f' and conrelid = tables.oid and confrelid <> conrelid
    ) as "refersTo"
  from pg_class as tables
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
    and relname <> all($1)
    and not exists (select from pg_depend where objid = tables.oid and deptype = 'e')
  order by relname`;
