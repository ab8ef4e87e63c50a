import pg from 'pg';
import type { UserId } from '#domain/principal.ts';
import type { MoveClient } from './move-client.ts';
import { findMovedTables, type MovedTable } from './moved-tables.ts';

/**
 * Copies every row of a user from one cell into another. The caller holds a transaction on each: one snapshot is read, and all or
 * nothing is written. Returns how many rows there were, by table.
 */
export async function copyUser(
  source: MoveClient,
  target: MoveClient,
  subject: UserId,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await findMovedTables(source)) {
    const copied = await copyTable(source, target, table, subject);
    if (copied > 0) counts[table.name] = copied;
  }
  await copyNoteWords(source, target, subject);
  await target.query('update documents set extractor = 0 where user_id = $1', [subject]); // their passages do not move
  return counts;
}

async function copyTable(
  source: MoveClient,
  target: MoveClient,
  { name, columns, where, order, page }: MovedTable,
  subject: UserId,
): Promise<number> {
  const isJson = (type: string) => type === 'json' || type === 'jsonb';
  // JSON travels as text, so that it arrives as it was written.
  const read = columns.map((column) => (isJson(column.type) ? `${column.name}::text` : column.name)).join(', ');
  const insert = `
    insert into ${name} (${columns.map((column) => column.name).join(', ')})
    select ${columns.map((column) => (isJson(column.type) ? `j.${column.name}::${column.type}` : `j.${column.name}`)).join(', ')}
    from json_to_recordset($1::json)
      as j (${columns.map((column) => `${column.name} ${isJson(column.type) ? 'text' : column.type}`).join(', ')})`;
  let copied = 0;
  const chosen = where.replaceAll('$user', pg.escapeLiteral(subject));
  for await (const json of readPages(source, `select ${read} from ${name} where ${chosen} order by ${order}`, page)) {
    const { rowCount } = await target.query(insert, [json]);
    copied += rowCount ?? 0;
  }
  return copied;
}

/** Words refer to the number of their note, which is another one in the target. */
async function copyNoteWords(source: MoveClient, target: MoveClient, subject: UserId): Promise<void> {
  const words = `
    select path, word from note_words join notes on notes.number = note
    where note_words.user_id = ${pg.escapeLiteral(subject)}`;
  for await (const json of readPages(source, words, WORDS))
    await target.query(
      `insert into note_words (user_id, word, note)
       select $2, word, number from json_to_recordset($1::json) as j (path text, word text) join notes using (path) where user_id = $2`,
      [json, subject],
    );
}

const WORDS = 2000;

/** The rows of a query as JSON arrays. */
async function* readPages(source: MoveClient, query: string, page: number): AsyncGenerator<string> {
  await source.query(
    `declare moved no scroll cursor for select row_to_json(shown)::text as row from (${query}) as shown`,
  );
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${page} from moved`);
    if (rows.length > 0) yield `[${rows.map(({ row }) => row).join(',')}]`;
    if (rows.length < page) break;
  }
  await source.query('close moved');
}
