import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { startService, textOf } from '../../support/service.ts';

/** The next version is this version with more migrations, which this version does not have. */
let next: string;
let home: Awaited<ReturnType<typeof freshHome>>;

beforeAll(async () => {
  home = await freshHome();
  next = await mkdtemp(path.join(tmpdir(), 'reborn-next-'));
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.ts')))
    await writeFile(path.join(next, file), `export * from '${path.join(MIGRATIONS, file)}';\n`);
});

afterAll(async () => {
  await rm(next, { recursive: true });
  await home.remove();
});

test('an older version runs, and starts again, beside a newer schema that is compatible with it', async () => {
  const first = await startService(home.env);
  await upgrade('9998-compatible', `export const worksWith = '0100-baseline';`);

  const second = await startService(home.env);
  const answers = await Promise.all([first, second].map((service) => service.ask('hello')));
  expect(answers.map(({ status }) => status)).toEqual(['completed', 'completed']);
  await first.close();
  expect(textOf(await second.ask('hello'))).not.toBe('');

  await upgrade('9999-incompatible', '');
  expect(textOf(await second.ask('hello'))).not.toBe('');
  await second.close();
  await expect(startService(home.env)).rejects.toThrow('A newer version of Reborn has changed the database (9999');
});

async function upgrade(name: string, declaration: string): Promise<void> {
  await writeFile(path.join(next, `${name}.ts`), `${declaration}\nexport async function up() {}\n`);
  const database = await openDatabase({ url: (home.env as { DATABASE_URL?: string }).DATABASE_URL, home: home.home });
  try {
    await migrateDatabase(database.connection, next);
  } finally {
    await database.close();
  }
}
