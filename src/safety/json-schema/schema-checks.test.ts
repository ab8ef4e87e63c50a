import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { findMisfit, findSchemaProblem } from './schema-checks.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('the memory of schemas is freed once many others were checked', async () => {
  const good = checkSchema(0, { type: 'string' });
  const bad = checkSchema(1, { type: 'objekt' });
  for (let number = 2; number < 50; number++) checkSchema(number, { type: 'string' });
  await setImmediate(); // a WeakRef keeps its object until the event loop turns
  collectGarbage();
  expect([good, bad].map((schema) => schema.deref() !== undefined)).toEqual([false, false]);
});

test('a schema that is kept checks later answers, too', () => {
  const schema = { type: 'object', required: ['city'] };
  expect(findMisfit({ schema, text: '{"city":1}' })).toBeUndefined();
  expect(findMisfit({ schema: structuredClone(schema), text: '{}' })).toBe("answer must have required property 'city'");
});

/** Returns a reference that does not keep the schema in memory. */
function checkSchema(number: number, city: object): WeakRef<object> {
  const properties = { city: { ...city, description: `${number}${'x'.repeat(20_000)}` } };
  const schema = { type: 'object', properties };
  findSchemaProblem({ schema });
  findMisfit({ schema: { ...schema, properties: { ...properties, city: {} } }, text: '{"city":"Oslo"}' });
  return new WeakRef(properties);
}
