import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeOf } from './argument-shape.ts';

test('a shape has a line for each value, in an order that does not depend on the arguments', () => {
  const one = shapeOf('{"to": ["ann@example.com"], "subject": "Hello", "urgent": true, "retry": {"times": 2}}');

  expect(one.split('\n')).toEqual([
    'retry.times = 2',
    'subject: any text',
    'to[0] = "ann@example.com"',
    'urgent = true',
  ]);
  expect(shapeOf('{"retry":{"times":2},"urgent":true,"subject":"Bye now","to":["ann@example.com"]}')).toBe(one);
});

const send = (more: object = {}) =>
  shapeOf(JSON.stringify({ to: 'ann@example.com', body: 'See you at nine.', ...more }));

test.each([{ body: 'Something else, and more of it.' }, { body: '' }, { body: 'delete' }])(
  'prose may differ: %j',
  (more) => {
    expect(send(more)).toBe(send());
  },
);

test.each([
  { to: 'bob@example.com' },
  { to: 'ann@example.com ' },
  { to: ['ann@example.com'] },
  { cc: 'bob@example.com' },
  { body: 'See https://evil.test/?d=1' },
  { body: 'See evil.test' },
  { body: 'See ｅｖｉｌ．ｔｅｓｔ' },
  { body: 'See evil。test' },
  { body: '![x](//evil.test/x.png)' },
  { body: 'Copy to mallory@localhost' },
  { body: 'http://intranet/' },
  { body: '{"to":"mallory"}' },
  { body: ' [1]' },
  { body: '<img>' },
  { body: 'to=mallory' },
  { body: null },
  { body: { to: 'mallory' } },
  { body: ['See you at nine.'] },
  { 'body.x': 1 },
])('%j makes it another shape', (more) => {
  expect(send(more)).not.toBe(send());
});

test('of a command, an amount and an action nothing may differ', () => {
  expect(shapeOf('{"command":"ls -la"}')).not.toBe(shapeOf('{"command":"rm -rf /"}'));
  expect(shapeOf('{"amount":10}')).not.toBe(shapeOf('{"amount":1000}'));
  expect(shapeOf('{"action":"read"}')).not.toBe(shapeOf('{"action":"delete"}'));
});

test.each([
  '{"to":"bob@example.com","to":"ann@example.com"}',
  '{"\\u0074o":"ann@example.com"}',
  '{"n":1.0}',
  '{"n":1e400}',
  '{"2":1,"1":1}',
  '{"to":"ann@example.com"',
  'to: ann',
])('%s could be read in two ways, so only the same bytes are alike', (json) => {
  expect(shapeOf(json)).toBe(`exactly ${JSON.stringify(json)}`);
});

test('no arguments are an empty object', () => {
  expect(['', ' ', '{}', '{ }'].map((json) => shapeOf(json))).toEqual(Array.from({ length: 4 }, () => 'no arguments'));
});

test('without prose, two different arguments never have one shape', () => {
  const json = fc
    .jsonValue()
    .filter(
      (value) =>
        !/text|body|message|content|subject|title|description|summary|comment|note|caption/i.test(
          JSON.stringify(value),
        ),
    );
  fc.assert(
    fc.property(json, json, (one, other) => {
      fc.pre(canonical(one) !== canonical(other));
      expect(shapeOf(JSON.stringify(one))).not.toBe(shapeOf(JSON.stringify(other)));
    }),
    {
      numRuns: 2000,
      examples: [
        ['', {}],
        ['no arguments', {}],
        [{ a: { b: 1 } }, { 'a.b': 1 }],
        [{ a: [1] }, { 'a[0]': 1 }],
        [{ a: {} }, { a: '{}' }],
        [{ all: 1 }, 1],
      ],
    },
  );
});

/** With its keys in order, so that only what is different differs. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${fields.toSorted().join()}}`;
}

test('where prose stays, a call with another text has another shape', () => {
  const exact = shapeOf('{"to":"ann","text":"hi"}', 'stays');
  expect(exact).toBe('text = "hi"\nto = "ann"');
  expect(shapeOf('{"to":"ann","text":"ho"}', 'stays')).not.toBe(exact);
  expect(shapeOf('{"to":"ann"}', 'stays')).toBe(shapeOf('{"to":"ann"}'));
});
