import { expect, test } from 'vitest';
import { z } from 'zod';
import { renderAs } from './render-as.ts';

const shape = z.strictObject({
  id: z.string(),
  last_used_at: z.iso.datetime().nullable(),
  names: z.array(z.string()),
  kind: z.enum(['a', 'b']),
  note: z.string().optional(),
});
const row = { secret: 'x', names: ['n'] as readonly string[], id: '1', lastUsedAt: new Date(0), isA: true };

test('the fields of a row are named for the wire, in the order of the schema, without those that it does not name', () => {
  const rendered = renderAs(shape, row, { kind: row.isA ? 'a' : 'b' });
  expect(JSON.stringify(rendered)).toBe(
    '{"id":"1","last_used_at":"1970-01-01T00:00:00.000Z","names":["n"],"kind":"a"}',
  );
  expect(renderAs(shape, { ...row, lastUsedAt: null }, { kind: 'b', note: 'y' })).toMatchObject({
    last_used_at: null,
    note: 'y',
  });
});

test('the compiler asks for a field that the row does not have, or has with another type', () => {
  // @ts-expect-error -- kind is missing
  renderAs(shape, row);
  // @ts-expect-error -- id is a number
  renderAs(shape, { ...row, id: 1 }, { kind: 'a' });
  // @ts-expect-error -- kind is of another type
  renderAs(shape, row, { kind: 'c' });
  expect(renderAs(shape, { ...row, id: 1 }, { id: '1', kind: 'a' })).toMatchObject({ id: '1' });
});
