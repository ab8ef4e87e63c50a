// @module-tag slow
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AsyncHost, loadComponent } from '../test/load-component.ts';
import { buildTool } from './build-tool.ts';

const DEAF: AsyncHost = {
  httpRequest: () => Promise.reject(new Error('no host')),
  log: () => {},
  secretExists: () => false,
};

// A build takes a second, and many more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-tool-'));
  await mkdir(join(folder, 'node_modules/@reborn-agent'), { recursive: true });
  await symlink(join(import.meta.dirname, '..'), join(folder, 'node_modules/@reborn-agent/tool'));
  await write('package.json', '{ "name": "@author/probe", "type": "module" }');
});

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Writes a tool that runs `body`, with `before` above it. */
function writeTool(body: string, before = ''): Promise<void> {
  const head = `import { defineTool } from '@reborn-agent/tool';\n${before}\n`;
  const execute = `() => { ${body} }`;
  return write(
    'src/tool.ts',
    `${head}export const tool = defineTool({ description: 'd', schema: {}, execute: ${execute} });`,
  );
}

test('a tool may consist of several files and packages', async () => {
  await write('node_modules/double/package.json', '{ "name": "double", "main": "lib.js" }');
  await write('node_modules/double/lib.js', 'exports.double = (text) => text + text;');
  await write('src/greeting.ts', 'export const greeting: string = "hi";');
  await writeTool(
    'return double(greeting);',
    `import { double } from 'double'; import { greeting } from './greeting.ts';`,
  );

  const component = await loadComponent((await buildTool(folder)).path, DEAF);
  expect(await component.execute('{}')).toMatchObject({ output: '"hihi"' });
});

test.each(['node:fs', 'not-installed'])("an import of %s, which components don't have, is refused", async (name) => {
  await writeTool('return String(x);', `import * as x from '${name}';`);
  await expect(buildTool(folder)).rejects.toThrow(new RegExp(`${name}.*\\n.*Node is not available`));
});

test('the error says what is missing or wrong in the folder', async () => {
  await writeTool('return 1');
  await write('src/tool.ts', 'export const another = 1;');
  await expect(buildTool(folder)).rejects.toThrow(/exports no tool\. Add: export const tool/);

  await write('src/tool.ts', 'export const tool = ;');
  await expect(buildTool(folder)).rejects.toThrow(/Unexpected token[^]*src\/tool\.ts:1/);

  await rm(join(folder, 'src/tool.ts'));
  await expect(buildTool(folder)).rejects.toThrow(/src\/tool\.ts/);

  await rm(join(folder, 'package.json'));
  await expect(buildTool(folder)).rejects.toThrow(/package\.json is missing.*reborn tool new/);
});

test('an error while the file loads is reported by the build', async () => {
  await writeTool('return 1', 'console.log("hello");');
  await expect(buildTool(folder)).rejects.toThrow(/console/);
});
