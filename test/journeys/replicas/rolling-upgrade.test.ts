import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { hasSource, RELEASES, releasedSource } from '../../support/released-source.ts';
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

const first = RELEASES.find(({ version }) => version === '0.1.0');

test.runIf(first && hasSource(first))('a database that version 0.1 has made is refused', async () => {
  if (!first) throw new Error('releases.json does not have version 0.1.0.');
  const source = await releasedSource(first, 'migrations');
  const old = await freshHome({ empty: true });
  onTestFinished(async () => {
    await old.remove();
    await rm(source, { recursive: true });
  });
  await migrate(old, path.join(source, 'migrations'));

  await expect(startService(old.env)).rejects.toThrow('This database was made by Reborn 0.1');
});

async function upgrade(name: string, declaration: string): Promise<void> {
  await writeFile(path.join(next, `${name}.ts`), `${declaration}\nexport async function up() {}\n`);
  await migrate(home, next);
}

async function migrate(of: Pick<typeof home, 'env' | 'home'>, migrations: string): Promise<void> {
  const database = await openDatabase({ url: (of.env as { DATABASE_URL?: string }).DATABASE_URL, home: of.home });
  try {
    await migrateDatabase(database.connection, migrations);
  } finally {
    await database.close();
  }
}
