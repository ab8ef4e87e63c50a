import type pg from 'pg';

/**
 * A policy hides rows without a word, and an archive without them would look like a whole one. This names the tables
 * that no policy opens to this session: it must carry a mark that one of their policies asks for.
 */
export async function findHiddenTables(client: pg.Client): Promise<string[]> {
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
