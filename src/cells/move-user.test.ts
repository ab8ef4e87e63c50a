// @module-tag slow
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashEmail, hashIdentity } from '#domain/cell/user-move.ts';
import { newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { addPerson, IDENTITIES_OPEN, OWNED_ROWS } from '../../test/support/person.ts';
import { findObstacle } from './find-obstacle.ts';
import { type MoveStep, moveUser } from './move-user.ts';
import { NOT_MOVED } from './moved-tables.ts';

type Side = { readonly client: pg.Client; close(): Promise<void> };

let source: Side;
let target: Side;

beforeAll(async () => {
  [source, target] = [await openSide(), await openSide()];
});

afterAll(async () => {
  await source.close();
  await target.close();
});

async function openSide(): Promise<Side> {
  const database = await openMigratedDatabase();
  const options = Object.entries({ ...IDENTITIES_OPEN, 'app.engine': 'on' }).map(([name, on]) => `-c ${name}=${on}`);
  const client = new pg.Client({ ...database.connection, options: options.join(' ') });
  await client.connect();
  return {
    client,
    close: async () => {
      await client.end();
      await database.close();
    },
  };
}

const move = (subject: string, onStep?: (step: MoveStep) => void) => moveFrom(1, subject, onStep);

/** Both databases stand for a cell, and each test has its own user. */
const moveFrom = (cell: 1 | 2, subject: string, onStep?: (step: MoveStep) => void) =>
  moveUser({
    source: (cell === 1 ? source : target).client,
    target: (cell === 1 ? target : source).client,
    subject,
    cells: { source: cell, target: cell === 1 ? 2 : 1 },
    actor: 'command-line',
    id: newId<string>(),
    ...(onStep && { onStep }),
  });

/** Numbers that the database assigns, and what a move changes on purpose. */
const CHANGES = ['number', 'seq', 'note', 'ready_at', 'due_at'];

/** The rows of a user in every table that has an owner, as JSON. */
async function rowsOf({ client }: Side, user: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of Object.keys(OWNED_ROWS)) {
    const numbered = ['turns'].includes(table) ? CHANGES.filter((name) => name !== 'seq') : CHANGES;
    const { rows } = await client.query<{ row: string }>(
      `select (to_jsonb(t) - $2::text[])::text as row from ${table} as t where user_id = $1 order by 1`,
      [user, numbered],
    );
    if (rows.length > 0) found[table] = rows.map(({ row }) => row);
  }
  return found;
}

const countOf = async ({ client }: Side, statement: string): Promise<number> =>
  Number((await client.query<{ count: string }>(`select count(*) from ${statement}`)).rows[0]?.count);

test('every row of a user arrives as it was, nothing of theirs stays, and others keep everything', async () => {
  await addPerson(source.client, 'ann');
  await addPerson(source.client, 'ben');
  await addPerson(target.client, 'eve');
  await source.client.query(`delete from note_words where user_id = 'ann'`);
  await source.client.query(
    `insert into note_words (user_id, word, note) select 'ann', 'w', number from notes where user_id = 'ann'`,
  );
  const [before, others, there] = [
    await rowsOf(source, 'ann'),
    await rowsOf(source, 'ben'),
    await rowsOf(target, 'eve'),
  ];

  await move('ann');

  const moved = Object.fromEntries(Object.entries(before).filter(([table]) => !(table in NOT_MOVED)));
  expect(await rowsOf(target, 'ann')).toEqual(moved);
  expect(Object.keys(await rowsOf(source, 'ann'))).toEqual(['unused_objects']);
  expect(await countOf(source, `users where id = 'ann'`)).toBe(0);
  expect(await countOf(source, `settings where name like '%@ann'`)).toBe(0);
  expect(await countOf(target, `settings where name = 'tool_policy:mail@ann'`)).toBe(1);
  expect(await countOf(target, `note_words join notes on number = note where notes.user_id = 'ann'`)).toBe(1);
  expect(await rowsOf(source, 'ben')).toEqual(others);
  expect(await rowsOf(target, 'eve')).toEqual(there);
});

test('the source keeps hashes that lead to the target, and they are gone when the user returns', async () => {
  await addPerson(source.client, 'back');
  await move('back');

  const { rows } = await source.client.query<{ hash: Buffer }>(
    `select hash from forwards where subject = 'back' and cell = 2`,
  );
  expect(rows.map(({ hash }) => hash.toString('hex'))).toContain(hashEmail('ann-back@example.com').toString('hex'));
  expect(rows.length).toBeGreaterThanOrEqual(2);

  await moveFrom(2, 'back');

  expect(await countOf(source, `forwards where subject = 'back'`)).toBe(0);
  expect(await countOf(source, `user_moves where subject = 'back' and state <> 'arrived'`)).toBe(0);
  expect(await countOf(source, `users where id = 'back'`)).toBe(1);
  expect(await countOf(target, `users where id = 'back'`)).toBe(0);
});

test('a registrar to which a user moves remembers that they are there', async () => {
  await addPerson(source.client, 'home');
  await source.client.query(
    `update users set oidc_issuer = 'https://id.example', oidc_subject = 'h' where id = 'home'`,
  );
  const hash = hashIdentity({ issuer: 'https://id.example', subject: 'h' });
  await target.client.query('insert into placements (hash, cell) values ($1, 1)', [hash]);
  await move('home');

  expect((await target.client.query('select cell from placements where hash = $1', [hash])).rows).toEqual([
    { cell: 2 },
  ]);
});

test('a running turn waits for a replica in the target, and no crash is counted', async () => {
  await addPerson(source.client, 'running');
  await source.client.query(
    `update turns set status = 'running', runner = $1, attempt = 2, handback = 0 where user_id = 'running'`,
    [newId()],
  );

  await move('running');

  const { rows } = await target.client.query(
    `select status, runner, attempt, handback, ready_at <= now() as "isReady" from turns where user_id = 'running'`,
  );
  expect(rows).toEqual([{ status: 'running', runner: null, attempt: 3, handback: 4, isReady: true }]);
});

test('objects in the bucket belong to the target, and the source does not list them for removal', async () => {
  await addPerson(source.client, 'objects');
  await source.client.query(
    `insert into attachments (user_id, sha256, bytes, object_key, is_stored) values ('objects', repeat('b', 64), 1, 'attachments/of-objects', true)`,
  );

  await move('objects');

  expect(await countOf(target, `attachments where object_key = 'attachments/of-objects'`)).toBe(1);
  expect(await countOf(source, `unused_objects where object_key = 'attachments/of-objects'`)).toBe(0);
});

test.each<MoveStep>(['resting', 'copied'])('an error at %s lets the user stay, with their work', async (failing) => {
  const user = `fails-${failing}`;
  await addPerson(source.client, user);
  await source.client.query(`update turns set status = 'running', runner = $1 where user_id = $2`, [newId(), user]);

  const moving = move(user, (step) => {
    if (step === failing) throw new Error('no disk');
  });

  await expect(moving).rejects.toThrow('no disk');
  expect(await countOf(source, `user_moves where subject = '${user}'`)).toBe(0);
  expect(await countOf(source, `turns where user_id = '${user}' and ready_at <= now()`)).toBe(1);
  expect(await countOf(target, `users where id = '${user}'`)).toBe(0);
});

test('refuses to move a user who is linked to a chat, is being erased or has a namesake in the target', async () => {
  const judge = (hasSameBucket = true) =>
    findObstacle({ source: source.client, target: target.client }, 'stays', { hasSameBucket });
  await addPerson(source.client, 'stays');
  await source.client.query(`update users set name = 'Stays' where id = 'stays'`);

  expect(await judge()).toContain('linked to a chat platform');
  await source.client.query('delete from chat_links; delete from chat_inbox');
  expect(await judge()).toBeUndefined();
  await addPerson(target.client, 'other');
  await target.client.query(`update users set name = 'stays' where id = 'other'`);
  expect(await judge()).toContain('same name, email or identity');
  await source.client.query(
    `update attachments set content = null, object_key = 'attachments/of-stays' where user_id = 'stays'`,
  );
  expect(await judge(false)).toContain('in a bucket that the other cell does not use');
  await source.client.query(`insert into erasures (id, subject, requested_by) values ($1, 'stays', 'operator')`, [
    newId(),
  ]);
  expect(await judge()).toBe('This user is being erased.');
});
