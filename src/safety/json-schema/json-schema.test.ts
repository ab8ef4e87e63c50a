import { expect, test } from 'vitest';
import { findMisfit, findSchemaProblem } from './json-schema.ts';

const city = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { city: { type: 'string', pattern: '^[A-Z]' }, people: { type: 'integer' } },
  required: ['city', 'people'],
  additionalProperties: false,
};

test('an answer that fits its schema has no problem', async () => {
  expect(await findMisfit(city, ' {"city":"Rome","people":2800000}\n', 'ann')).toBeUndefined();
});

test('an answer that does not fit its schema is described with every problem', async () => {
  expect(await findMisfit(city, '{"city":"rome","people":1.5,"x":1}', 'ann')).toBe(
    'answer must NOT have additional properties; answer/city must match pattern "^[A-Z]"; answer/people must be integer',
  );
  expect(await findMisfit(city, 'Rome', 'ann')).toBe('it is not JSON');
});

test('a schema that answers can not be checked against is refused', async () => {
  expect(await findSchemaProblem(city, 'ann')).toBeUndefined();
  expect(await findSchemaProblem({ type: 'objekt' }, 'ann')).toContain('schema is invalid');
  expect(await findSchemaProblem({ $ref: 'https://example.com/schema' }, 'ann')).toContain("can't resolve reference");
  expect(await findSchemaProblem({ type: 'string', pattern: '(' }, 'ann')).toContain('Invalid regular expression');
});

test('two schemas can have the same $id', async () => {
  expect(await findMisfit({ $id: 'it', type: 'string' }, '"a"', 'ann')).toBeUndefined();
  expect(await findMisfit({ $id: 'it', type: 'number' }, '"a"', 'ann')).toBe('answer must be number');
});

test('an endless pattern is given up, and does not block other checks', { tags: 'slow' }, async () => {
  const hostile = { type: 'string', pattern: '^(a+)+$' };
  const stuck = findMisfit(hostile, JSON.stringify(`${'a'.repeat(60)}!`), 'mallory');
  expect(await findMisfit(city, '{}', 'ann')).toContain('required property');
  expect(await stuck).toBe('checking it takes too long');
});
