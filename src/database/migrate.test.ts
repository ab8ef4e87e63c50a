// @module-tag slow
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../test/support/wait-for.ts';
import { makeHome, removeHome } from './embedded/owner-process.test-support.ts';
import { readIndexBuilds, startIndexBuilds } from './index-builds.ts';
import { MIGRATIONS, migrateDatabase } from './migrate.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import { readSchemaState } from './schema-state.ts';

let home: string;
let server: OpenDatabase;
let pool: pg.Pool;
let folder: string;
beforeAll(async () => {
  home = await makeHome();
  server = await openDatabase({ url: undefined, home });
  pool = new pg.Pool(server.connection);
});
beforeEach(async (context) => {
  await pool.query('drop schema public cascade; create schema public');
  folder = path.join(home, context.task.id); // modules are cached, so each test uses different files
  await mkdir(folder);
});
afterAll(async () => {
  await pool.end();
  await server.close();
  await removeHome(home);
});

test('no two migrations have the same number', async () => {
  const numbers = (await readdir('migrations')).filter((name) => name.endsWith('.ts')).map((name) => name.slice(0, 4));
  expect(numbers).toEqual([...new Set(numbers)]);
});

async function writeMigration(
  name: string,
  statement: string,
  worksWith?: string,
  indexes?: readonly string[],
): Promise<void> {
  const declared =
    (worksWith ? `export const worksWith = '${worksWith}';\n` : '') +
    (indexes ? `export const indexes = ${JSON.stringify(indexes)};\n` : '');
  const body = `${declared}export async function up(db: { schema: unknown }): Promise<void> {
    await db.executeQuery({ sql: ${JSON.stringify(statement)}, parameters: [], query: { kind: 'RawNode' } });
  }`;
  await writeFile(path.join(folder, name), body.replace('{ schema: unknown }', 'any'));
}

async function names(): Promise<unknown[]> {
  return (await pool.query('select name from kysely_migration order by name')).rows.map((row) => row.name);
}

test('replicas that start together on an empty database migrate it once', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await writeMigration('0002-first-note.ts', 'insert into notes values (1)', undefined, ['notes_by_id on notes (id)']);

  await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(server.connection, folder)));

  expect((await pool.query('select id from notes')).rows).toEqual([{ id: 1 }]);
  expect(await names()).toEqual(['0001-notes', '0002-first-note']);
});

test('a new migration is applied after the earlier ones', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await migrateDatabase(server.connection, folder);
  await writeMigration('0002-first-note.ts', 'insert into notes values (1)');

  await migrateDatabase(server.connection, folder);
  await migrateDatabase(server.connection, folder);

  expect((await pool.query('select id from notes')).rows).toEqual([{ id: 1 }]);
});

test('a migration reaches the rows of all users', async () => {
  await writeMigration(
    '0001-notes.ts',
    `create table notes (user_id text, words integer);
     alter table notes enable row level security;
     alter table notes force row level security;
     create policy owner on notes using ((select current_setting('app.engine', true)) = 'on')`,
  );
  await migrateDatabase(server.connection, folder);
  await pool.query("begin; set local app.engine = 'on'; insert into notes values ('ann'), ('bob'); commit");
  await writeMigration('0002-words.ts', 'update notes set words = 0');
  await migrateDatabase(server.connection, folder);

  const results = (await pool.query(
    "begin; set local app.engine = 'on'; select words from notes; commit",
  )) as unknown as pg.QueryResult[];
  expect(results[2]?.rows).toEqual([{ words: 0 }, { words: 0 }]);
});

test('the error names a failed migration, which leaves nothing behind', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await writeMigration('0002-mistake.ts', 'insert into nowhere values (1)');

  await expect(migrateDatabase(server.connection, folder)).rejects.toThrow(
    'Migration 0002-mistake failed: relation "nowhere" does not exist',
  );

  expect(await names()).toEqual([]);
});

test('an older version starts with a newer schema only if that schema declares it compatible', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  const older = `${folder}-older`;
  await cp(folder, older, { recursive: true });
  await writeMigration('0002-column.ts', 'alter table notes add column text text', '0001-notes');
  await migrateDatabase(server.connection, folder);

  await migrateDatabase(server.connection, older);
  expect(await readSchemaState(server.connection, older)).toMatchObject({ pending: [], unknown: [] });

  await writeMigration('0003-rename.ts', 'alter table notes rename to memos');
  await migrateDatabase(server.connection, folder);
  await expect(migrateDatabase(server.connection, older)).rejects.toThrow(
    "A newer version of Reborn has changed the database (0003-rename), and this version can't work with it.",
  );
  expect(await readSchemaState(server.connection, older)).toMatchObject({ unknown: ['0003-rename'] });
  expect(await names()).toEqual(['0001-notes', '0002-column', '0003-rename']);
});

test("a version older than a migration's `worksWith` does not start", async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  const oldest = `${folder}-oldest`;
  await cp(folder, oldest, { recursive: true });
  await writeMigration('0002-column.ts', 'alter table notes add column text text', '0001-notes');
  await writeMigration('0003-index.ts', 'create index on notes (text)', '0002-column');
  await migrateDatabase(server.connection, folder);

  await expect(migrateDatabase(server.connection, oldest)).rejects.toThrow('(0003-index)');
});

test('a database of version 0.1 is refused', async () => {
  await writeMigration('0001-threads.ts', 'create table threads (id integer)');
  await migrateDatabase(server.connection, folder);

  await expect(migrateDatabase(server.connection, MIGRATIONS)).rejects.toThrow(
    "This database was made by Reborn 0.1, which this version can't upgrade.",
  );
  expect(await readSchemaState(server.connection, MIGRATIONS)).toMatchObject({ isTooOld: true });
});

test('a migration that waits for a lock lets other statements pass and is retried', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await migrateDatabase(server.connection, folder);
  await writeMigration('0002-column.ts', 'alter table notes add column text text');
  const reader = await pool.connect();
  await reader.query('begin; select from notes');
  const patience = { lockTimeoutMs: 200, tries: 1 };

  await expect(migrateDatabase(server.connection, folder, undefined, patience)).rejects.toThrow(
    'Migration 0002-column failed: canceling statement due to lock timeout',
  );
  const migrated = migrateDatabase(server.connection, folder, undefined, { ...patience, tries: 100 });
  const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table notes%'`;
  await waitFor('the migration to wait', async () => ((await pool.query(isWaiting)).rowCount ?? 0) > 0);
  await waitFor('the migration to release its lock request', async () => (await pool.query(isWaiting)).rowCount === 0);
  await pool.query('select from notes');
  await reader.query('commit');
  reader.release();
  await migrated;

  expect(await names()).toEqual(['0001-notes', '0002-column']);
});

test('a declared index is built while others write, and a build that was cut off is repeated at the next start', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await migrateDatabase(server.connection, folder);
  await pool.query('insert into notes select generate_series(1, 1000)');
  await writeMigration('0002-index.ts', 'create table memos (id integer)', undefined, ['notes_by_id on notes (id)']);
  const writer = await pool.connect();
  await writer.query('begin; insert into notes values (0)'); // the build waits for it
  const migrating = migrateDatabase(server.connection, folder).catch((error: unknown) => error);
  const building = `select pid from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'`;
  const pid = await waitFor('the build', async () => (await pool.query(building)).rows[0]?.pid as number | undefined);

  await pool.query('insert into notes values (1001)'); // the build blocks no statement
  await pool.query('select pg_terminate_backend($1)', [pid]);
  expect(await migrating).toBeInstanceOf(Error);
  await writer.query('commit');
  writer.release();
  expect(await readSchemaState(server.connection, folder)).toMatchObject({
    pending: [],
    pendingIndexes: ['notes_by_id on notes (id)'],
  });

  await migrateDatabase(server.connection, folder);

  expect(await readSchemaState(server.connection, folder)).toMatchObject({ pending: [], pendingIndexes: [] });
  const valid = `select indisvalid as valid from pg_index where indexrelid = 'notes_by_id'::regclass`;
  expect((await pool.query(valid)).rows).toEqual([{ valid: true }]);
});

test('replicas build the index of a large table while they work, and one continues when another ends', async () => {
  const later = { builtAtOnceBytes: 0 };
  const failures: unknown[] = [];
  const build = () => startIndexBuilds(server.connection, (error) => failures.push(error), 50);
  const builds = () => readIndexBuilds(new Kysely({ dialect: new PostgresDialect({ pool }) }));
  await writeMigration('0001-notes.ts', 'create table notes (id integer)', undefined, ['notes_by_id on notes (id)']);
  await migrateDatabase(server.connection, folder, undefined, later); // an empty table is not large
  expect(await builds()).toEqual([]);
  await pool.query('insert into notes select generate_series(1, 1000)');
  await writeMigration('0002-index.ts', 'create table memos (id integer)', undefined, ['notes_by_size on notes (id)']);

  expect(await migrateDatabase(server.connection, folder, undefined, later)).toBe(true);
  expect(await migrateDatabase(server.connection, folder, undefined, later)).toBe(true);
  const waiting = { name: 'notes_by_size', table: 'notes', phase: null, percent: null };
  expect(await builds()).toEqual([waiting]);

  const writer = await pool.connect();
  await writer.query('begin; insert into notes values (0)'); // the build waits for it
  const first = build();
  const phase = await waitFor('the build', async () => (await builds())[0]?.phase);
  expect(phase).toContain('waiting for writers');
  expect(await migrateDatabase(server.connection, folder, undefined, later)).toBe(true); // a start does not wait for it
  const second = build();
  await first.stop();
  await writer.query('commit');
  writer.release();
  await waitFor('the other replica to build it', async () => (await builds()).length === 0);
  await second.stop();

  const valid = `select indisvalid as valid from pg_index where indexrelid = 'notes_by_size'::regclass`;
  expect((await pool.query(valid)).rows).toEqual([{ valid: true }]);
  expect(failures).toEqual([]);
  expect(await migrateDatabase(server.connection, folder)).toBe(false);
});
