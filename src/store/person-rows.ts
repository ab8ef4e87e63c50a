import { type Database, type Owner, runStatement, withOwner } from './connection.ts';

/** A row as JSON, named as in the database. */
export type PersonRow = { readonly table: string; readonly json: string };

/** Tables with an owner that an export leaves out, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  item_texts: 'made from the items, for the search',
  attachment_uses: 'made from the items',
  unused_objects: 'names of deleted attachments in the bucket, without content',
  note_words: 'made from the notes, for the search',
  passages: 'made from the files, for the search',
  document_words: 'made from the files, for the search',
  turn_events: 'how the items came about, for streams; deleted after an hour',
  tokens: 'part of the account',
  sessions: 'part of the account',
  invitations: 'secrets that expire within days',
  sign_in_codes: 'secrets that expire within minutes',
  chat_codes: 'secrets that expire within minutes',
  chat_messages: 'ids of messages on chat platforms, without content',
  retention: 'set by the operator; users read what applies at /api/users/me/retention',
};

const PAGE = 100;
/** Items contain attachments. */
const ITEMS_PAGE = 10;

/**
 * Every row of a user, found in the catalogue, so that no table can be forgotten. It is read in pages, each in a short
 * transaction, so that a slow reader holds no lock and no connection. Secrets and hashes are left out, and so is what is
 * computed from other columns.
 */
export async function* readPersonRows(db: Database, owner: Owner): AsyncGenerator<PersonRow> {
  const tables = await withOwner(db, owner, (trx) => runStatement<Table>(trx, TABLES, [Object.keys(NOT_EXPORTED)]));
  const parts = tables.filter(({ isPart }) => isPart);
  for (const table of tables.filter(({ isPart }) => !isPart))
    for await (const page of readPages(db, owner, table)) {
      yield* named(table, page);
      if (table.name !== 'threads') continue;
      const threadIds = page.map(({ keys }) => keys[0] ?? '');
      for (const part of parts)
        for await (const partPage of readPages(db, owner, part, threadIds)) yield* named(part, partPage);
    }
}

const named = ({ name }: Table, page: readonly Line[]): PersonRow[] => page.map(({ json }) => ({ table: name, json }));

type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  readonly keyTypes: readonly string[];
  /** Whether its rows belong to a thread, and are found by it. */
  readonly isPart: boolean;
};

type Line = { readonly json: string; readonly keys: readonly string[] };

async function* readPages(
  db: Database,
  owner: Owner,
  table: Table,
  threadIds?: readonly string[],
): AsyncGenerator<readonly Line[]> {
  const limit = table.name === 'items' ? ITEMS_PAGE : PAGE;
  let after: readonly string[] | undefined;
  for (;;) {
    const statement = statementFor(table, { limit, isPart: threadIds !== undefined, isNext: after !== undefined });
    const values = [owner.userId, ...(threadIds ? [threadIds] : []), ...(after ?? [])];
    const page: Line[] = await withOwner(db, owner, (trx) => runStatement<Line>(trx, statement, values));
    yield page;
    if (page.length < limit) return;
    after = page.at(-1)?.keys;
  }
}

function statementFor(
  { name, columns, keys, keyTypes }: Table,
  { limit, isPart, isNext }: { readonly limit: number; readonly isPart: boolean; readonly isNext: boolean },
): string {
  const first = isPart ? 3 : 2;
  const after = keyTypes.map((type, index) => `$${first + index}::text::${type}`).join(', ');
  const sorted = keys.map((key) => `t.${key}`).join(', ');
  return `
    select (select row_to_json(shown)::text from (select ${columns.map((column) => `t.${column}`).join(', ')}) as shown) as json,
      array[${keys.map((key) => `t.${key}::text`).join(', ')}] as keys
    from ${name} as t where t.user_id = $1 ${isPart ? 'and t.thread_id = any($2::uuid[])' : ''} ${isNext ? `and (${sorted}) > (${after})` : ''}
    order by ${sorted} limit ${limit}`;
}

// Bytes are ciphertexts and hashes; the other types that are left out are indexes.
const TABLES = `
  select quote_ident(relname) as name,
    relname = 'items' or exists (
      select from pg_constraint where contype = 'f' and conrelid = tables.oid and confrelid = 'threads'::regclass) as "isPart",
    array(
      select quote_ident(attname) from pg_attribute
      where attrelid = tables.oid and attnum > 0 and not attisdropped
        and format_type(atttypid, null) <> all('{bytea,tsvector,"bit varying",real[]}') order by attnum) as columns,
    array(
      select quote_ident(attname) from pg_index, unnest(indkey) with ordinality as part (attnum, place) join pg_attribute using (attnum)
      where attrelid = tables.oid and indrelid = tables.oid and indisprimary order by place) as keys,
    array(
      select format_type(atttypid, null) from pg_index, unnest(indkey) with ordinality as part (attnum, place) join pg_attribute using (attnum)
      where attrelid = tables.oid and indrelid = tables.oid and indisprimary order by place) as "keyTypes"
  from pg_class as tables
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all($1)
    and exists (select from pg_attribute where attrelid = tables.oid and attname = 'user_id' and not attisdropped)
  order by relname`;
