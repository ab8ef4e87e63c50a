import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR } from '#domain/principal.ts';
import { withOwner } from '#store/connection.ts';
import { findSaid } from '#store/threads/item-texts.ts';
import { up } from '../../migrations/0029-item-texts.ts';
import { openMigratedDatabase } from '../support/migrated-database.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

const THREAD = '00000000-0000-7000-8000-000000000001';
const message = (role: string, text: string) =>
  JSON.stringify({ type: 'message', role, content: [{ type: 'text', text }], status: 'completed' });

test('the migration indexes the messages that are stored already, and nothing else', async () => {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: database.everything }) });
  await sql`drop table item_texts`.execute(db);
  await sql`insert into threads (id, user_id, last_seq, opening) values (${THREAD}, 'operator', 1, 'Trip')`.execute(db);
  const bodies = [
    message('user', '<instructions>\nsecret marmalade\n</instructions>\n\nfind the mar\u0000malade'),
    message('assistant', 'The marmalade is here.'),
    message('system', 'Never mention marmalade.'),
    JSON.stringify({ type: 'function_call', callId: 'c', name: 'x', arguments: '{"q":"marmalade"}', external: false }),
  ];
  await sql`
    insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
    select ${THREAD}, 1, n, gen_random_uuid(), gen_random_uuid(), 'operator', body::json
    from unnest(${bodies}::text[]) with ordinality as item (body, n)`.execute(db);
  await up(db);

  const find = (word: string) => withOwner(database.db, OPERATOR, (trx) => findSaid(trx, OPERATOR, [word], 10));
  expect(await find('marmal')).toMatchObject([{ role: 'assistant', title: 'Trip', threadId: THREAD }]);
  expect(await find('mar')).toHaveLength(2);
  expect(await find('secret')).toEqual([]);
});
