import { spawnSync } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, textOf, webhookClientOf } from '../support/service.ts';
import { installPackage, serve } from './installed.ts';

const NOBODY = 65_534;

let installation: Awaited<ReturnType<typeof installPackage>>;

beforeAll(async () => {
  installation = await installPackage();
}, 120_000);

afterAll(() => installation.remove());

test.each([
  ['whoever runs the tests', undefined],
  ['an ordinary user', { uid: NOBODY, gid: NOBODY }],
])(
  'installed in an empty folder, it answers %s by HTTP and by webhook',
  async (_, user) => {
    if (user && !canRun(user)) return; // only root can become somebody else, where all may read this checkout
    const home = await mkdtemp(path.join(tmpdir(), 'reborn-package-home-'));
    if (user) await chown(home, NOBODY, NOBODY);
    const service = await serve(installation.installed, home, user);

    const answer = await clientOf(service.gateway).ask('hello');
    const webhook = webhookClientOf(service.webhook);
    const job = await webhook.completed(await webhook.submit({ message: 'hello' }));

    expect(textOf(answer)).toContain('hello');
    expect(job.response).toContain('hello');
    expect(await service.stop()).toBe(0);
    await rm(home, { recursive: true, force: true });
  },
  120_000,
);

test('it holds what it needs, and nothing of the checkout', async () => {
  const files = installation.files.map((file) => file.path);
  const manifest = JSON.parse(await readFile(path.join(installation.installed, 'package.json'), 'utf8'));

  expect(files).toEqual(
    expect.arrayContaining(['bin/reborn.js', 'LICENSE', 'wit/tool.wit', 'migrations/0001-threads.js']),
  );
  expect(files).toEqual(expect.arrayContaining(['THIRD-PARTY-NOTICES.md', 'sbom.cdx.json']));
  expect(files.filter((file) => /\.test\.|node_modules|^(test|bench|scripts)\//.test(file))).toEqual([
    'sdk/template/src/tool.test.ts',
  ]);
  expect(manifest).not.toHaveProperty('private');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(manifest).not.toHaveProperty('scripts');
});

test('its bill of materials names every direct dependency', async () => {
  const read = async (file: string) => JSON.parse(await readFile(path.join(installation.installed, file), 'utf8'));
  const bom = await read('sbom.cdx.json');
  const named = (bom.components as { name: string }[]).map(({ name }) => name);

  expect(bom.bomFormat).toBe('CycloneDX');
  expect(named).toEqual(expect.arrayContaining(Object.keys((await read('package.json')).dependencies)));
});

test('a Node that is too old is told so in one sentence', async () => {
  const launcher = await readFile(path.join(installation.installed, 'bin/reborn.js'), 'utf8');
  const pretend = `Object.defineProperty(process, 'version', { value: 'v20.1.0' });
    Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } });\n`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', pretend + launcher.slice(launcher.indexOf('\n'))],
    {
      encoding: 'utf8',
    },
  );

  expect(status).toBe(1);
  expect(stderr).toBe('reborn needs Node 24.21 or later, but this is v20.1.0; install a newer one.\n');
});

test('a new tool finds its kit, and who builds one without a compiler is told what to install', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-package-tool-'));
  const reborn = (...words: string[]) =>
    spawnSync(process.execPath, [path.join(installation.installed, 'bin/reborn.js'), ...words], { encoding: 'utf8' });

  expect(reborn('tool', 'new', path.join(folder, 'stars')).status).toBe(0);
  expect(reborn('tool', 'test', path.join(folder, 'stars'))).toMatchObject({ status: 0 });
  expect(reborn('tool', 'build', path.join(folder, 'stars')).stderr).toContain('npm install rolldown componentize-qjs');
  await rm(folder, { recursive: true });
}, 60_000);

function canRun(as: { uid: number; gid: number }): boolean {
  return process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], as).status === 0;
}
