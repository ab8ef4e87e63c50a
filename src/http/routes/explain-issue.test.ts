import { expect, test } from 'vitest';
import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { parseBody } from './parse-body.ts';

function refusalOf(schema: z.ZodType, body: unknown): InvalidRequest | undefined {
  try {
    parseBody(schema, body);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}

test.each<[z.ZodType, unknown, string, string | null]>([
  [z.object({}), undefined, 'The body is required and must be a JSON object.', null],
  [z.object({}), [], 'The body must be a JSON object.', null],
  [z.object({ a: z.string() }), {}, 'a is required and must be a string.', 'a'],
  [z.object({ a: z.object({ b: z.int() }) }), { a: { b: 1.5 } }, 'a.b must be a whole number.', 'a.b'],
  [z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, 'a must be x or y.', 'a'],
  [z.object({ a: z.enum(['x', 'y', 'z']) }), {}, 'a must be x, y or z.', 'a'],
  [z.object({ a: z.literal('x') }), { a: 'z' }, 'a must be x.', 'a'],
  [z.strictObject({}), { b: 1 }, 'The body has unknown fields: b. Remove them.', null],
  [z.object({ a: z.string().max(2000) }), { a: 'a'.repeat(2001) }, 'a may have 2,000 characters.', 'a'],
  [z.object({ a: z.string().min(1) }), { a: '' }, 'a must not be empty.', 'a'],
  [z.object({ a: z.int() }), { a: 'x' }, 'a must be a whole number.', 'a'],
  [z.object({ a: z.number().gt(2) }), { a: 2 }, 'a must be more than 2.', 'a'],
  [z.object({ a: z.uuid() }), { a: 'x' }, 'a must be a UUID.', 'a'],
  [z.object({ a: z.string('a is needed.') }), {}, 'a is needed.', 'a'],
])('%$ the message is a sentence that names the field', (schema, body, message, param) => {
  expect(refusalOf(schema, body)).toMatchObject({ message, param });
});
