import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadComponent } from '../test/load-component.ts';
import { buildTool } from './build-tool.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-tool-'));
  await mkdir(join(folder, 'node_modules/@reborn-agent'), { recursive: true });
  await symlink(join(import.meta.dirname, '..'), join(folder, 'node_modules/@reborn-agent/tool'));
  await write('package.json', '{ "name": "@somebody/probe", "type": "module" }');
});

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** A tool that runs `body`, with whatever stands in `before` above it. */
function writeTool(body: string, before = ''): Promise<void> {
  const head = `import { defineTool } from '@reborn-agent/tool';\n${before}\n`;
  const execute = `(params: any, host) => { ${body} }`;
  return write(
    'src/tool.ts',
    `${head}export const tool = defineTool({ description: 'd', schema: {}, execute: ${execute} });`,
  );
}

async function load() {
  return loadComponent((await buildTool(folder)).path, {
    httpRequest: async () => ({ status: 200, body: Uint8Array.of(0x68, 0xff, 0x69) }),
    log: () => {},
    secretExists: (name) => name === 'key',
  });
}

test('inside a component, whatever is thrown comes out as an error with its message', async () => {
  await writeTool('return new Function(params)();');
  const { execute } = await load();
  const errorOf = async (code: string) => (await execute(JSON.stringify(code))).error;

  expect(await errorOf('throw new TypeError("no such thing")')).toBe('no such thing');
  expect(await errorOf('throw "bare"')).toBe('bare');
  expect(await errorOf('throw new RangeError()')).toBe('RangeError');
  expect(await errorOf('throw new Error("half \\ud800")')).toBe('half \ufffd');
  expect(await errorOf('throw Object.create(null)')).toMatch(/did not say why/);
  expect(await errorOf('return undefined')).toMatch(/returned nothing/);
  expect(await errorOf('return Promise.resolve(1)')).toMatch(/async/);
  expect(await errorOf('return 1n')).toMatch(/./);
  expect(await errorOf('nobody.home')).toMatch(/nobody/);
});

test('inside a component, text may hold any character, and a host that is asked answers', async () => {
  await writeTool(`
    host.log.warn('half', params, { also: params });
    return [params, host.secretExists('key'), host.secretExists('half \\ud800'), host.httpRequest({ url: params }).text()];`);
  const { execute } = await load();

  const { output } = await execute('"😀 half \\ud83d"');
  expect(JSON.parse(output ?? '')).toEqual(['😀 half \ud83d', true, false, 'h\ufffdi']);
});

test('a tool may be made of several files and packages', async () => {
  await write('node_modules/double/package.json', '{ "name": "double", "main": "lib.js" }');
  await write('node_modules/double/lib.js', 'exports.double = (text) => text + text;');
  await write('src/greeting.ts', 'export const greeting: string = "hi";');
  await writeTool(
    'return double(greeting);',
    `import { double } from 'double'; import { greeting } from './greeting.ts';`,
  );

  expect(await (await load()).execute('{}')).toMatchObject({ output: '"hihi"' });
});

test.each(['node:fs', 'not-installed'])('an import of %s, which no component has, is refused', async (name) => {
  await writeTool('return String(x);', `import * as x from '${name}';`);
  await expect(buildTool(folder)).rejects.toThrow(new RegExp(`${name}.*\\n.*no Node inside`));
});

test('what is missing or wrong in the folder is said', async () => {
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

test('what breaks as soon as the file is loaded is said when it is built', async () => {
  await writeTool('return 1', 'console.log("hello");');
  await expect(buildTool(folder)).rejects.toThrow(/console/);
});
