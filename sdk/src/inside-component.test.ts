// @module-tag slow
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type LoadedComponent, loadComponent } from '../test/load-component.ts';
import { buildTool } from './build-tool.ts';

/** Runs the code it is given, so that one build serves all tests. */
const TOOL = `
  import { defineTool } from '@reborn-agent/tool';
  export const tool = defineTool({
    description: 'd', schema: {},
    execute: (params, host) => new Function('host', params as string)(host),
  });`;

const logs: unknown[] = [];
let component: LoadedComponent;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inside-component-'));
  await mkdir(join(folder, 'src'));
  await mkdir(join(folder, 'node_modules/@reborn-agent'), { recursive: true });
  await symlink(join(import.meta.dirname, '..'), join(folder, 'node_modules/@reborn-agent/tool'));
  await writeFile(join(folder, 'package.json'), '{ "name": "probe" }');
  await writeFile(join(folder, 'src/tool.ts'), TOOL);
  component = await loadComponent((await buildTool(folder)).path, {
    httpRequest: async (_method, url) => ({ status: 200, body: new TextEncoder().encode(`${url} \ud83d\ude00`) }),
    log: (...line) => void logs.push(line),
    secretExists: (name) => name === 'key',
  });
  await rm(folder, { recursive: true });
});

const run = (code: string) => component.execute(JSON.stringify(code));

test.each([
  ['throw new TypeError("no such thing")', /^no such thing$/],
  ['throw "bare"', /^bare$/],
  ['throw new RangeError()', /^RangeError$/],
  ['throw new Error("half \\ud800")', /^half \ufffd$/],
  ['throw Object.create(null)', /did not say why/],
  ['throw ""', /did not say why/],
  ['return undefined', /returned nothing/],
  ['return Promise.resolve(1)', /async/],
  ['return 1n', /./],
  ['nobody.home', /nobody/],
  ['host.httpRequest({ url: "https://x/", timeoutMs: -1 })', /whole number of milliseconds/],
])('%s becomes an error with its message', async (code, message) => {
  const { output, error } = await run(code);
  expect(output).toBeUndefined();
  expect(error).toMatch(message);
});

test('input and output may contain any character', async () => {
  const { output } = await run('return ["\ud83d\ude00 \\ud83d", "half \ud83d"]');
  expect(JSON.parse(output ?? '')).toEqual(['😀 \ud83d', 'half \ud83d']);
});

test('a lone surrogate in a request, a secret name or a log line does not cause a trap', async () => {
  const { output } = await run(`
    host.log.warn('half \\ud800', { also: '\\ud800' });
    return [host.secretExists('\\ud800'), host.secretExists('key'), host.httpRequest({ url: 'https://x/\\ud800' }).text()];`);

  expect(JSON.parse(output ?? '')).toEqual([false, true, 'https://x/\ufffd 😀']);
  expect(logs).toEqual([['warn', 'half \ufffd {"also":"\\ud800"}']]);
});
