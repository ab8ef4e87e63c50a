import { expect, test } from 'vitest';
import { createSecretSearch } from '../secrets/secret-search.ts';
import { secretForms } from './secret-forms.ts';

const facts = { search: createSecretSearch(new Map()) };

test('a key is redacted', async () => {
  const { times, text } = await secretForms.inspect(`The key is AKIA${'Q'.repeat(16)}.`, facts);
  expect({ times, text }).toEqual({ times: 1, text: 'The key is [redacted:aws-key-id].' });
});

test('an inspection leaves nothing behind that would fill the memory of its thread', async () => {
  await secretForms.inspect('Hello', facts);
  expect(performance.getEntries().filter(({ name }) => name.startsWith('@'))).toEqual([]);
});
