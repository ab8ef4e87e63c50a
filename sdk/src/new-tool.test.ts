// @module-tag slow
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadComponent } from '../test/load-component.ts';
import { buildTool } from './build-tool.ts';
import { newTool } from './new-tool.ts';
import { testTool } from './test-tool.ts';

// A build takes a second, and many more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'new-tool-')));
  folder = join(parent, 'my tool');
});

afterEach(() => rm(parent, { recursive: true }));

test('a new tool passes its tests and type check unchanged', async () => {
  await newTool(folder, 'stars');

  expect(await testTool(folder, 'ignore')).toBe(true);
  expect(checkTypes()).toMatchObject({ stdout: '', status: 0 });
});

test("the compiler rejects APIs that components don't have", async () => {
  await newTool(folder, 'stars');
  await writeFile(join(folder, 'src/more.ts'), 'console.log(new URL("https://example.com"), fetch);');

  expect(checkTypes().stdout).toMatch(/'console'[^]*'URL'[^]*'fetch'/);
});

function checkTypes() {
  return spawnSync(join(import.meta.dirname, '../../node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
}

test('a new tool builds into a working component', async () => {
  await newTool(folder, 'Stars_2');

  const built = await buildTool(folder);
  expect(built).toMatchObject({ name: 'stars_2', path: join(folder, 'dist/stars_2.wasm') });

  const logs: unknown[] = [];
  const component = await loadComponent(built.path, {
    httpRequest: async () => ({ status: 200, body: new TextEncoder().encode('{"stargazers_count":7}') }),
    log: (...line) => void logs.push(line),
    secretExists: () => false,
  });
  expect(await component.execute('{"repository":"nodejs/node"}')).toEqual({
    output: '{"repository":"nodejs/node","stars":7}',
    error: undefined,
  });
  expect(logs).toEqual([['info', 'nodejs/node has 7']]);
});

test('a cloned tool is tested and built without an installation, even if a link to the kit is broken', async () => {
  await newTool(folder, 'stars');
  await rm(join(folder, 'node_modules'), { recursive: true });
  expect((await buildTool(folder)).bytes).toBeGreaterThan(0);

  const kit = join(folder, 'node_modules/@reborn-agent/tool');
  await rm(kit);
  await symlink(join(parent, 'gone'), kit);
  expect(await testTool(folder, 'ignore')).toBe(true);
});

test('a failing test is reported, and so are missing tests', async () => {
  await newTool(folder, 'stars');
  await writeFile(join(folder, 'src/tool.test.ts'), 'throw new Error("no")');
  expect(await testTool(folder, 'ignore')).toBe(false);

  await rm(join(folder, 'src/tool.test.ts'));
  await expect(testTool(folder, 'ignore')).rejects.toThrow(/has no tests\. Write the first one/);
});

test('a new tool depends on the SDK of this checkout', async () => {
  await newTool(folder, 'stars');

  const manifest: { name: string; dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const [scheme, path = ''] = manifest.dependencies['@reborn-agent/tool']?.split(':') ?? [];
  expect(manifest.name).toBe('stars');
  expect(scheme).toBe('file');
  expect(resolve(folder, path)).toBe(resolve(import.meta.dirname, '..'));
});

test('a folder that is not empty is left unchanged', async () => {
  await newTool(folder, 'stars');
  const before = await readFile(join(folder, 'package.json'), 'utf8');

  await expect(newTool(folder, 'other')).rejects.toThrow(/is not empty\. Choose a folder/);
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(before);
});

test.each(['', 'two words', '../up', 'x'.repeat(65), 'ünder'])('%j is not a valid tool name', async (name) => {
  await expect(newTool(folder, name)).rejects.toThrow(/is not a valid tool name\. Use 1 to 64 letters/);
});
