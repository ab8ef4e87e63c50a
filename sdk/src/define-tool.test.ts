import { expect, test } from 'vitest';
import { defineTool } from './define-tool.ts';
import { createLocalHost } from './local-host.ts';

const define = (execute: Parameters<typeof defineTool>[0]['execute']) =>
  defineTool({ description: 'A probe.', schema: { type: 'object' }, execute });

test('a tool exports the functions of the world', () => {
  const { description, schema, execute } = define((params) => ({ got: params as string })).connect(
    createLocalHost().imports,
  );

  expect(description()).toBe('A probe.');
  expect(schema()).toBe('{"type":"object"}');
  expect(execute({ params: '"x"' })).toEqual({ output: '{"got":"x"}', error: undefined });
});

test.each([
  [null, 'null'],
  [false, 'false'],
  ['', '""'],
  [0, '0'],
])('a tool may return %j', (value, output) => {
  expect(
    define(() => value)
      .connect(createLocalHost().imports)
      .execute({ params: '{}' }),
  ).toEqual({ output, error: undefined });
});

test('params that are not JSON never reach the tool', () => {
  const tool = define(() => 'reached');
  const { output, error } = tool.connect(createLocalHost().imports).execute({ params: '{' });
  expect(output).toBeUndefined();
  expect(error).toMatch(/^Invalid parameters: ./);
});

test('a tool can log any value, and lone surrogates are replaced', () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const tool = define((_params, { log }) => {
    log.trace('plain');
    log.info('n', 1, null, undefined, { a: [true] });
    log.error(new TypeError('bad'), 'half \ud800', loop);
    return 1;
  });
  const host = createLocalHost();

  host.call(tool, {});

  expect(host.logs).toEqual([
    { level: 'trace', message: 'plain' },
    { level: 'info', message: 'n 1 null undefined {"a":[true]}' },
    { level: 'error', message: 'TypeError: bad half \ufffd [object Object]' },
  ]);
});

test('a tool can check whether a secret exists', () => {
  const tool = define((_params, { secretExists }) => [secretExists('key'), secretExists('other')]);
  expect(createLocalHost({ secrets: ['key'] }).call(tool, {})).toEqual({ output: [true, false] });
});
