import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeHome, removeHome } from './embedded/owner-process.test-support.ts';
import { migrateDatabase } from './migrate.ts';
import { type OpenDatabase, openDatabase } from './open-database.ts';

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
  folder = path.join(home, context.task.id); // modules are read once, so each test has files of its own
  await mkdir(folder);
});
afterAll(async () => {
  await pool.end();
  await server.close();
  await removeHome(home);
});

async function writeMigration(name: string, statement: string): Promise<void> {
  const body = `export async function up(db: { schema: unknown }): Promise<void> {
    await db.executeQuery({ sql: ${JSON.stringify(statement)}, parameters: [], query: { kind: 'RawNode' } });
  }`;
  await writeFile(path.join(folder, name), body.replace('{ schema: unknown }', 'any'));
}

async function names(): Promise<unknown[]> {
  return (await pool.query('select name from kysely_migration order by name')).rows.map((row) => row.name);
}

test('replicas that start together on an empty database migrate it once', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await writeMigration('0002-first-note.ts', 'insert into notes values (1)');

  await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(server.connection, folder)));

  expect((await pool.query('select id from notes')).rows).toEqual([{ id: 1 }]);
  expect(await names()).toEqual(['0001-notes', '0002-first-note']);
});

test('a later migration is added to the earlier ones', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await migrateDatabase(server.connection, folder);
  await writeMigration('0002-first-note.ts', 'insert into notes values (1)');

  await migrateDatabase(server.connection, folder);
  await migrateDatabase(server.connection, folder);

  expect((await pool.query('select id from notes')).rows).toEqual([{ id: 1 }]);
});

test('a migration that fails is named and leaves nothing behind', async () => {
  await writeMigration('0001-notes.ts', 'create table notes (id integer)');
  await writeMigration('0002-mistake.ts', 'insert into nowhere values (1)');

  await expect(migrateDatabase(server.connection, folder)).rejects.toThrow(
    'Migration 0002-mistake failed: relation "nowhere" does not exist',
  );

  expect(await names()).toEqual([]);
});
