import { expect, test } from 'vitest';
import { toObjectSchema } from './object-schema.ts';

test('an object schema is unchanged', () => {
  const schema = { type: 'object', properties: { a: { oneOf: [{ type: 'string' }] } }, required: ['a'] };

  expect(toObjectSchema(schema)).toEqual(schema);
  expect(toObjectSchema(null)).toEqual({ type: 'object', properties: {} });
});

test('top-level branches become one object, whose description says what belongs together', () => {
  const branch = (action: string, more: object, required: string[]) => ({
    type: 'object',
    properties: { action: { const: action }, units: { enum: ['metric', 'imperial'] }, ...more },
    required: ['action', ...required],
    additionalProperties: false,
  });
  const oneOf = [
    branch('look', { city: { type: 'string' } }, ['city']),
    branch('measure', { lat: { type: 'number' } }, ['lat']),
  ];
  const flat = toObjectSchema({ oneOf });

  expect(flat).toEqual({
    type: 'object',
    properties: {
      action: { enum: ['look', 'measure'] },
      units: { enum: ['metric', 'imperial'] },
      city: { type: 'string' },
      lat: { type: 'number' },
    },
    required: ['action'],
    additionalProperties: false,
    description: `It must fit exactly one of ${JSON.stringify(oneOf)}`,
  });
});

test('a property that has different forms may have any of them', () => {
  const anyOf = [{ properties: { a: { type: 'string' } } }, { properties: { a: { type: 'number' } } }];

  expect(toObjectSchema({ description: 'Tell a.', anyOf })).toMatchObject({
    properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    description: expect.stringMatching(/^Tell a\. It must fit one of /),
  });
});

test('all properties of allOf are required', () => {
  const allOf = [
    { properties: { a: {} }, required: ['a'] },
    { properties: { b: {} }, required: ['b'] },
  ];

  expect(toObjectSchema({ allOf, required: ['c'] })).toMatchObject({ required: ['c', 'a', 'b'] });
});

test.each([{ oneOf: 'x' }, { oneOf: [1, null] }, { anyOf: [] }])('an invalid choice is ignored: %j', (schema) => {
  expect(toObjectSchema(schema)).toMatchObject({ type: 'object', properties: {} });
});
