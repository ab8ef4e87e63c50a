import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printJson } from './message-template.ts';

test('JSON is printed with a line for each field', () => {
  expect(printJson({ a: [1, { b: null }], c: 'ü' })).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": "ü"\n}',
  );
});

test('what is printed is what came', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (json) => {
      expect(JSON.parse(printJson([JSON.parse(json)]))).toEqual([JSON.parse(json)]);
    }),
  );
});

test('a key that every object has is kept like any other', () => {
  expect(printJson(JSON.parse('{"__proto__":{"a":1}}'))).toContain('__proto__');
});

test.each(['[', '{"a":'])('a body that is nothing but %s is cut off in its depth', (open) => {
  const depth = 60_000 / open.length;
  const body = JSON.parse(open.repeat(depth) + '0' + (open === '[' ? ']' : '}').repeat(depth));

  expect(printJson(body)).toContain('Nested too deeply');
  expect(printJson(body).length).toBeLessThan(10_000);
});

test('32 levels are printed', () => {
  const nest = (levels: number): object => (levels === 1 ? [] : [nest(levels - 1)]);

  expect(printJson(nest(32))).not.toContain('deeply');
  expect(printJson(nest(33))).toContain('deeply');
});
