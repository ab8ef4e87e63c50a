import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreArchive } from '#database/archive/restore-archive.ts';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { addPerson } from '../support/person.ts';
import { archiveOf, archiveText, connect, connectToEverything, openDatabases } from './databases.ts';

let databases: Awaited<ReturnType<typeof openDatabases>>;
let source: pg.PoolConfig;

/** Values that COPY, JSON or a careless reader could get wrong. */
const STRANGE = [
  '\t tab',
  'two\nlines',
  '\\.',
  '\\N',
  'back\\slash',
  'quote " and \'',
  '\r\n',
  '🦀 é 中',
  '{"file":"x"}',
  '',
];
const LONG = 'long '.repeat(200_000);

beforeAll(async () => {
  databases = await openDatabases();
  source = await databases.create();
  await migrateDatabase(source, MIGRATIONS);
  await fill(source);
});

afterAll(() => databases.close());

test('a restored database has the same contents, table by table', async () => {
  const saved = await archiveText(source);
  const target = await databases.create();

  await restoreArchive({ connection: target, migrations: MIGRATIONS, archive: await archiveOf(saved) });

  expect(sumsOf(await archiveText(target))).toEqual(sumsOf(saved));
  const client = await connectToEverything(target);
  const names = await client.query<{ name: string }>('select name from users order by created_at');
  const notes = await client.query<{ origin: string }>('select origin from notes order by path');
  const bodies = await client.query<{ text: string }>(`select body->>'text' as text from items order by position`);
  await client.end();
  expect(names.rows.map(({ name }) => name)).toEqual(STRANGE);
  expect(notes.rows.map(({ origin }) => origin)).toEqual(['unknown', 'foreign']);
  expect(bodies.rows.map(({ text }) => text)).toEqual([...STRANGE, LONG]);
});

test('an archive has every table with rows, regardless of its policies', async () => {
  const tables = Object.entries(sumsOf(await archiveText(source)));

  const filled = tables.filter(([, { rows }]) => rows > 0).map(([name]) => name);
  expect(filled.toSorted()).toEqual(['audit', 'items', 'notes', 'secrets', 'settings', 'threads', 'tokens', 'users']);
});

test('restored rows have the same row-level policies, and sequences continue', async () => {
  const target = await databases.create();
  await restoreArchive({
    connection: target,
    migrations: MIGRATIONS,
    archive: await archiveOf(await archiveText(source)),
  });

  const client = await connect(target);
  const seen = await client.query('select from threads');
  const unforced = await client.query(
    `select relname from pg_class where relnamespace = current_schema()::regnamespace and relrowsecurity and not relforcerowsecurity`,
  );
  await client.query(`insert into audit (actor, action) values ('a', 'after')`);
  await client.end();
  const all = await connectToEverything(target);
  const numbers = await all.query<{ id: string }>('select id from audit order by id');
  await all.end();

  expect(seen.rowCount).toBe(0);
  expect(unforced.rows).toEqual([]);
  expect(numbers.rows.map(({ id }) => id)).toEqual(['1', '2', '3']);
});

test('origins and the approvals because of them are the same after a restore', async () => {
  const [from, to] = [await databases.create(), await databases.create()];
  await migrateDatabase(from, MIGRATIONS);
  const filling = await connectToEverything(from);
  await addPerson(filling, 'ann');
  await filling.end();
  await restoreArchive({ connection: to, migrations: MIGRATIONS, archive: await archiveOf(await archiveText(from)) });

  const client = await connectToEverything(to);
  const { rows } = await client.query(
    `select (select origin from notes) as note, (select reads->>'foreign' from summaries) as summary,
       (select asked->>'situation' from gates) as gate, (select situation from standing_approvals) as always,
       (select mission_id is not null from standing_approvals) as limited, (select site from site_grants) as site`,
  );
  await client.end();
  const kept = { note: 'foreign', summary: 'true', gate: 'both', always: 'foreign', limited: true, site: 'a.example' };
  expect(rows).toEqual([kept]);
});

test('an archive can be read in pieces of any size', async () => {
  const small = await databases.create();
  await migrateDatabase(small, MIGRATIONS);
  const client = await connectToEverything(small);
  await insertUsers(client);
  await client.end();
  const saved = await archiveText(small);

  const target = await databases.create();
  await restoreArchive({ connection: target, migrations: MIGRATIONS, archive: await archiveOf(saved, 1) });

  expect(sumsOf(await archiveText(target))).toEqual(sumsOf(saved));
});

test.each([
  ['cut in its middle', (saved: string) => saved.slice(0, saved.length / 2)],
  ['cut before its last line', (saved: string) => saved.slice(0, saved.lastIndexOf('\n', saved.length - 2) + 1)],
  ['with a changed row', (saved: string) => saved.replace('🦀', '🐙')],
  ['with a row less', (saved: string) => saved.replace(/^.*🦀.*\n/m, '')],
  ['with a table less', (saved: string) => saved.replace(/^\{"table":"tokens"[^]*?^\\\.\n.*\n/m, '')],
])('an archive %s is refused, and leaves nothing behind', async (_, harm) => {
  const saved = await archiveText(source);
  const harmed = harm(saved);
  expect(harmed).not.toBe(saved);
  const target = await databases.create();

  const restoring = (async () =>
    restoreArchive({ connection: target, migrations: MIGRATIONS, archive: await archiveOf(harmed) }))();

  await expect(restoring).rejects.toThrow('damaged');
  const client = await connectToEverything(target);
  expect((await client.query('select from users')).rowCount).toBe(0);
  await client.end();
});

test('a database with rows in it is left as it is', async () => {
  const target = await databases.create();
  await migrateDatabase(target, MIGRATIONS);
  const client = await connectToEverything(target);
  await client.query(`insert into settings (name, value) values ('mine', '1')`);
  const archive = await archiveOf(await archiveText(source));

  await expect(restoreArchive({ connection: target, migrations: MIGRATIONS, archive })).rejects.toThrow(
    'not empty: there are rows in settings',
  );

  expect((await client.query('select from users')).rowCount).toBe(0);
  await client.end();
});

test('a table that no policy opens is an error, not left out silently', async () => {
  const hidden = await databases.create();
  await migrateDatabase(hidden, MIGRATIONS);
  const client = await connect(hidden);
  await client.query(`
    create table diaries (id integer primary key, user_id text);
    alter table diaries enable row level security;
    alter table diaries force row level security;
    create policy owner on diaries using (user_id = (select current_setting('app.user_id', true)))`);
  await client.end();

  await expect(archiveText(hidden)).rejects.toThrow('hides the rows of diaries');
});

test('an older archive gets the newer migrations', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-migrations-'));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    await writeFile(
      path.join(folder, '9999-loud.ts'),
      `import { sql } from ${JSON.stringify(import.meta.resolve('kysely'))};
       export const up = (db) => sql\`update settings set name = upper(name)\`.execute(db);`,
    );
    const target = await databases.create();
    await restoreArchive({
      connection: target,
      migrations: folder,
      archive: await archiveOf(await archiveText(source)),
    });
    const client = await connect(target);
    const { rows } = await client.query('select name from settings');
    await client.end();
    expect(rows).toEqual([{ name: 'ROUTES' }]);

    const newer = await archiveText(target);
    const other = await databases.create();
    await expect(
      restoreArchive({ connection: other, migrations: MIGRATIONS, archive: await archiveOf(newer) }),
    ).rejects.toThrow('newer Reborn (9999-loud). Upgrade');
    await expect(
      restoreArchive({ connection: target, migrations: folder, archive: await archiveOf(await archiveText(source)) }),
    ).rejects.toThrow('newer schema (9999-loud)');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the order of rows does not depend on how a database sorts letters', async () => {
  const sorted = await databases.create();
  await migrateDatabase(sorted, MIGRATIONS);
  const client = await connect(sorted);
  await client.query(`alter table settings alter column name type text collate "en-x-icu"`);
  await client.query(`insert into settings (name, value) values ('a', '1'), ('B', '2'), ('c', '3')`);
  await client.end();

  const rows = /"table":"settings".*\n([^]*?)\\\.\n/.exec(await archiveText(sorted))?.[1] ?? '';
  expect(rows.split('\n').map((row) => row[0])).toEqual(['B', 'a', 'c', undefined]);
});

async function fill(connection: pg.PoolConfig): Promise<void> {
  const client = await connectToEverything(connection);
  const thread = '01900000-0000-7000-8000-000000000001';
  await insertUsers(client);
  await client.query(`insert into tokens (id, user_id, name, hash) values ($1, 'user 0', 't', '\\x00ff')`, [thread]);
  await client.query(`insert into settings (name, value) values ('routes', '{"a": "\\u0000"}')`);
  await client.query(`insert into audit (actor, action) values ('a', 'one'), ('a', 'two')`);
  await client.query(`insert into secrets (user_id, name, ciphertext, key_id) values ('ann', 's', $1, 'k')`, [
    Buffer.from([0, 10, 92, 46, 10, 255]),
  ]);
  await client.query(`insert into threads (id, user_id, last_seq) values ($1, 'ann', 1)`, [thread]);
  for (const [position, text] of [...STRANGE, LONG].entries())
    await client.query(
      `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
       values ($1, 1, $2, gen_random_uuid(), $1, 'ann', $3)`,
      [thread, position, JSON.stringify({ text })],
    );
  await client.query(
    `insert into notes (user_id, path, text, origin, word_count) values ('ann', 'page', 'a', 'foreign', 0), ('ann', 'old', 'b', 'unknown', 0)`,
  );
  await client.query(`insert into rate_windows values ('k', '{1}', '{1}', now())`); // not carried
  await client.end();
}

async function insertUsers(client: pg.Client): Promise<void> {
  for (const [number, name] of STRANGE.entries())
    await client.query(
      `insert into users (id, name, role, created_at) values ($1, $2, 'member', now() + $3 * interval '1 second')`,
      [`user ${number}`, name, number],
    );
}

function sumsOf(archive: string): Record<string, { rows: number; sha256: string }> {
  const tables = [...archive.matchAll(/^\{"table":"(\w+)".*\n(?:[^]*?^)??\\\.\n(\{.*\})$/gm)];
  return Object.fromEntries(tables.map(([, name, sum]) => [name ?? '', JSON.parse(sum ?? '')]));
}
