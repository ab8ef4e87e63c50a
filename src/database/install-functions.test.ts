// @module-tag slow
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { type Functions, readFunction, revisionOf } from './install-functions.ts';
import { MIGRATIONS } from './migrate.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

/** As `engine/accept_turns`. */
async function listFiles(): Promise<string[]> {
  const files = await Array.fromAsync(glob('src/*/sql/*.sql'));
  return files.map((file) => `${file.split(path.sep)[1]}/${path.basename(file, '.sql')}`).toSorted();
}

async function readDefinitions(): Promise<Map<string, string>> {
  const { rows } = await database.everything.query<{ name: string; definition: string }>(
    `select proname as name, pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

test('a migrated database has the functions of the files, with the same text', async () => {
  const migrated = await readDefinitions();
  const files = await listFiles();

  for (const file of files) await database.everything.query(await readFunction(file));

  expect(await readDefinitions()).toEqual(migrated);
  expect([...migrated.keys()].toSorted()).toEqual(files.map((file) => path.basename(file)).toSorted());
});

test('the newest migration that installs a function declares the revision of its file', async () => {
  const declared: Record<string, string> = {};
  for (const file of (await Array.fromAsync(glob('*.ts', { cwd: MIGRATIONS }))).toSorted()) {
    const { functions } = (await import(path.join(MIGRATIONS, file))) as { functions?: Functions };
    Object.assign(declared, functions);
  }
  const present: Record<string, string> = {};
  for (const file of await listFiles()) present[file] = revisionOf(await readFunction(file));

  expect(declared, 'Install a changed function in a new migration, with the revision that is shown here.').toEqual(
    present,
  );
});
