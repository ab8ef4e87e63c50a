import type { MoveClient } from './move-client.ts';

/** Tables with an owner whose rows do not move, and why. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  chat_links: 'chats belong to the accounts of their cell; a user who has some is not moved',
  chat_threads: 'as chat_links',
  chat_inbox: 'as chat_links',
  chat_messages: 'as chat_links',
  chat_codes: 'secrets that expire within minutes',
  devices: 'subscribed with the key of their cell; the browser subscribes again',
  passages: 'made from the files, which the other cell reads again',
  document_words: 'as passages',
  invitations: 'a link leads to its cell; the operators who stay make others',
  pairings: 'webhook users stay in their cell',
  project_members: 'users of their cell; a project that moves with its owner is shared with nobody',
  unused_objects: 'the cell that lists them removes them from the bucket',
};

/** What to copy of a table, in an order that satisfies its references. */
export type MovedTable = {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly where: string;
  readonly order: string;
  /** How many rows are in memory at a time. */
  readonly page: number;
};

const PAGE = 500;
/** Items contain texts of any length, and attachments up to 14 MiB. */
const PAGES: Readonly<Record<string, number>> = { items: 50, attachments: 4, skills: 20, turn_events: 50 };

/** Every table with rows of a user, found in the catalogue, so that no table can be forgotten. `$user` is replaced by the user. */
export async function findMovedTables(client: MoveClient): Promise<MovedTable[]> {
  const { rows } = await client.query<Found>(TABLES, [Object.keys(NOT_MOVED)]);
  return sortByReferences(rows).map(({ name, columns, keys }) => ({
    name,
    columns,
    where: WHERE[name] ?? 'user_id = $user',
    order: keys.join(', '),
    page: PAGES[name] ?? PAGE,
  }));
}

const WHERE: Readonly<Record<string, string>> = {
  users: 'id = $user',
  settings: `starts_with(name, 'tool_policy:') and right(name, length($user) + 1) = '@' || $user`,
  turn_events: 'turn_id in (select id from turns where user_id = $user and ended_at is null)',
};

type Found = {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly keys: readonly string[];
  readonly refersTo: readonly string[];
};

function sortByReferences(tables: readonly Found[]): Found[] {
  const sorted: Found[] = [];
  const place = (table: Found): void => {
    if (sorted.includes(table)) return;
    for (const other of tables) if (other !== table && table.refersTo.includes(other.name)) place(other);
    sorted.push(table);
  };
  for (const table of tables) place(table);
  return sorted;
}

// Numbers that the database assigns are assigned again: they are in use in the other cell. `note_words` refers to one, and is copied by path.
const TABLES = `
  select quote_ident(relname) as name,
    array(
      select json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod)) from pg_attribute
      where attrelid = tables.oid and attnum > 0 and not attisdropped and attidentity = '' and attgenerated = '' order by attnum) as columns,
    array(
      select quote_ident(attname) from pg_attribute
      where attrelid = tables.oid and (attidentity <> '' and not attisdropped or attnum = any(
        select unnest(indkey) from pg_index where indrelid = tables.oid and indisprimary))
      order by attidentity = '', attnum) as keys,
    array(
      select confrelid::regclass::text from pg_constraint where contype = 'f' and conrelid = tables.oid) as "refersTo"
  from pg_class as tables
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname <> all($1) and relname <> 'note_words'
    and (relname in ('users', 'settings')
      or exists (select from pg_attribute where attrelid = tables.oid and attname = 'user_id' and not attisdropped))
  order by relname`;
