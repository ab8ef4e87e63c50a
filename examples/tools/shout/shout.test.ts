import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type LoadedComponent, loadComponent } from '../../../sdk/test/load-component.ts';
import { buildShout } from './build.ts';

// A build takes a second, and many more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const hasCompiler = ['clang', 'wasm-ld'].every((program) => spawnSync(program, ['--version']).status === 0);

describe.skipIf(!hasCompiler)('a tool in C', () => {
  const logs: unknown[] = [];
  let shout: LoadedComponent;
  let path: string;

  beforeAll(async () => {
    path = await buildShout();
    shout = await loadComponent(path, {
      httpRequest: () => Promise.reject(new Error('it makes no requests')),
      log: (...line) => void logs.push(line),
      secretExists: () => false,
    });
  });

  test('describes itself', async () => {
    expect(await shout.description()).toBe('Turns the letters a to z of a text into capitals.');
    expect(JSON.parse(await shout.schema())).toMatchObject({ required: ['text'], additionalProperties: false });
  });

  test.each([
    ['hello', 'HELLO'],
    ['', ''],
    ['Straße, 東京 😀', 'STRAßE, 東京 😀'],
    ['a\n\t"\\/b', 'A\n\t"\\/B'],
    ['x'.repeat(200_000), 'X'.repeat(200_000)],
  ])('shouts %.20j', async (text, shouted) => {
    const { output, error } = await shout.execute(JSON.stringify({ text }));
    expect(error).toBeUndefined();
    expect(JSON.parse(output ?? '')).toEqual({ text: shouted });
  });

  test('decodes escapes', async () => {
    const { output } = await shout.execute(' { "text" : "\\u0061\\u00e9\\/\\n\\uD83D\\ude00" } ');
    expect(JSON.parse(output ?? '')).toEqual({ text: 'Aé/\n😀' });
  });

  test('logs its output', async () => {
    logs.length = 0;
    await shout.execute('{"text":"a"}');
    expect(logs).toEqual([['debug', '{"text":"A"}']]);
  });

  test.each([
    ['', 'expected an object'],
    ['[]', 'expected an object'],
    ['"text"', 'expected an object'],
    ['{}', "expected 'text' and nothing else"],
    ['{"text"', "expected 'text' and nothing else"],
    ['{"word":"a"}', "expected 'text' and nothing else"],
    ['{"text":"a","word":"b"}', "expected 'text' and nothing else"],
    ['{"text":1}', "'text' must be a string"],
    ['{"text":', "'text' must be a string"],
    ['{"text":"a', "'text' is not a valid JSON string"],
    ['{"text":"a\\', "'text' is not a valid JSON string"],
    ['{"text":"a\\x"}', "'text' is not a valid JSON string"],
    ['{"text":"\\u00g0"}', "'text' is not a valid JSON string"],
    ['{"text":"\\u00', "'text' is not a valid JSON string"],
    ['{"text":"a\nb"}', "'text' is not a valid JSON string"],
    ['{"text":"a"', "expected 'text' and nothing else"],
    ['{"text":"a"} x', 'something follows the object'],
  ])('refuses %j', async (params, detail) => {
    expect(await shout.execute(params)).toEqual({ output: undefined, error: `Invalid parameters: ${detail}` });
  });

  test('is a few kilobytes, and the same bytes after each build', async () => {
    const first = await readFile(path);
    expect(first.length).toBeLessThan(6000);
    expect((await readFile(await buildShout())).equals(first)).toBe(true);
  });
});
