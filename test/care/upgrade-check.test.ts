import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { planUpgrade } from '#database/plan-upgrade.ts';
import { freshHome, type Home } from '../support/fresh-home.ts';
import { connectionOf } from '../support/prepared-template.ts';
import { runReborn } from '../support/run-reborn.ts';
import { spawnService, startService, TOKEN, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const homes: Home[] = [];
/** The next version: this one with more migrations. */
let next: string;

beforeAll(async () => {
  next = await mkdtemp(path.join(tmpdir(), 'reborn-next-'));
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.ts')))
    await writeFile(path.join(next, file), `export * from '${path.join(MIGRATIONS, file)}';\n`);
});
afterAll(async () => {
  await rm(next, { recursive: true });
  for (const home of homes) await home.remove();
});

test('the plan says what each migration does to large tables, and whether a rolling upgrade is possible', async () => {
  const { connection, query } = await newDatabase();
  await query(`create table sheep (n integer) with (autovacuum_enabled = off)`);
  await query('insert into sheep select * from generate_series(1, 50000)');
  await query('analyze sheep');
  await writeNext('9990-rewrite', `export const worksWith = '0100-baseline';\nexport const rewrites = ['sheep'];`);
  await writeNext(
    '9991-index',
    `export const worksWith = '9990-rewrite';\nexport const indexes = ['s on sheep (n)', 't on new (n)'];`,
  );

  const plan = await planUpgrade(connection, next);
  const [rewrite, index] = plan.steps;
  const sheep = {
    table: 'sheep',
    rows: 50_000,
    bytes: expect.toSatisfy((bytes: number) => bytes > 1e6 && bytes < 3e6),
  };
  expect(rewrite).toMatchObject({ name: '9990-rewrite', work: [{ kind: 'rewrite', ...sheep }] });
  expect(index?.work).toMatchObject([
    { kind: 'index', ...sheep },
    { kind: 'index', table: 'new', rows: 0, bytes: 0 },
  ]);
  expect(rewrite?.seconds).toBeGreaterThan(index?.seconds ?? 0); // an index is only half of the work
  expect(plan.seconds).toBeCloseTo((rewrite?.seconds ?? 0) + (index?.seconds ?? 0));
  expect(plan.isRolling).toBe(false); // the second one works only with a version that has the first

  await rm(path.join(next, '9991-index.ts'));
  expect(await planUpgrade(connection, next)).toMatchObject({ isRolling: true, pending: ['9990-rewrite'] });
});

test('`reborn upgrade --check` says what is pending and changes nothing; its exit code says whether replicas must stop', async () => {
  const { env, query } = await newDatabase();
  const check = (...more: string[]) => runReborn(['upgrade', '--check', ...more], { env });
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') });

  const newest = 'select max(name) as name from kysely_migration';
  const [last] = await query<{ name: string }>(`delete from kysely_migration where name = (${newest}) returning name`);
  const [before] = await query<{ name: string }>(newest);
  const rolling = await check();
  expect(rolling.code).toBe(0);
  expect(rolling.stdout).toContain(last?.name);
  expect(rolling.stdout).toMatch(
    /A rolling upgrade is possible.*\nMake a backup first: {2}reborn backup before-\S+\.reborn/,
  );
  expect(JSON.parse((await check('--json')).stdout)).toMatchObject({
    applied: before?.name,
    migrations: [{ name: last?.name, works_with: expect.any(String), seconds: expect.any(Number) }],
    rolling: true,
  });
  expect(await query(newest)).toEqual([before]);

  // As if a version had made the schema that the baseline does not work with.
  await query(`delete from kysely_migration where name = '0100-baseline'`);
  expect(await check()).toMatchObject({ code: 3, stdout: expect.stringContaining('stop all replicas first') });

  await query(`insert into kysely_migration (name, timestamp, works_with) values ('9999-newer', '', null)`);
  expect(await check()).toMatchObject({ code: 1, stderr: expect.stringContaining('(9999-newer)') });
  expect(await runReborn(['upgrade'], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('--check') });
});

test('`reborn status` shows an index that an upgrade has left, and the next start builds it while the service works', async () => {
  const { env, connection, query } = await newDatabase();
  await query(
    `update kysely_migration set pending_indexes = '{items_by_turn on items (turn_id)}' where name = '0100-baseline'`,
  );
  const writer = new pg.Client(connection);
  await writer.connect();
  await writer.query('begin; lock table items in row exclusive mode'); // the build waits for it
  const service = await spawnService(env);
  const builds = async () =>
    ((await (await service.request('/api/status')).json()) as { index_builds: { phase: string | null }[] })
      .index_builds;
  try {
    await waitFor('the build to begin', async () => (await builds()).some(({ phase }) => phase !== null));
    expect(await builds()).toMatchObject([{ name: 'items_by_turn', table: 'items', percent: expect.any(Number) }]);
    const shown = await runReborn(['status'], { env: { ...env, SERVICE_REBORN_WEBUI_TOKEN: TOKEN } });
    expect(shown.stdout).toMatch(/^index +items_by_turn on items is being built: .+, \d+ %$/m);
    expect(await service.ask('say violet')).toMatchObject({ status: 'completed' });
    await writer.end();
    await waitFor('the index', async () => (await builds()).length === 0);
  } finally {
    await writer.end();
    await service.kill('SIGTERM');
  }
});

test('after an upgrade that allows no rollback, the version before continues with the backup', async () => {
  const [old, fresh] = [await newHome(), await newHome()];
  const file = path.join(old.home, 'before.reborn');
  const service = await startService(old.env);
  const first = await service.ask('say violet');
  await service.close();
  expect(await runReborn(['backup', file], { env: old.env })).toMatchObject({ code: 0 });
  await writeNext('9999-incompatible', '');
  await migrateDatabase(connectionOf(urlOf(old)), next);
  await expect(startService(old.env)).rejects.toThrow('restore a backup from before the upgrade');

  expect(await runReborn(['restore', file], { env: fresh.env })).toMatchObject({ code: 0 });
  const second = await startService(fresh.env);
  try {
    expect(textOf(await second.get(first.id))).toBe(textOf(first));
    expect(await second.ask('hello', { previous_response_id: first.id })).toMatchObject({ status: 'completed' });
  } finally {
    await second.close();
  }
});

async function newHome(): Promise<Home> {
  const home = await freshHome({ shared: true });
  homes.push(home);
  return home;
}

async function newDatabase() {
  const home = await newHome();
  return { ...home, connection: connectionOf(urlOf(home)) };
}

const urlOf = ({ env }: Home): string => (env as { DATABASE_URL?: string }).DATABASE_URL ?? '';

const writeNext = (name: string, declared: string): Promise<void> =>
  writeFile(path.join(next, `${name}.ts`), `${declared}\nexport async function up() {}\n`);
