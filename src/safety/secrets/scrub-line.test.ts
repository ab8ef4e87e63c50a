import { expect, test } from 'vitest';
import { scrubLine } from './scrub-line.ts';

const KEY = `sk-proj-${'aB3'.repeat(14)}`;
const TOKEN = 'q7Zk0nW2e4R6t8Y0u1I3o5P7';

/** The message as it is logged, parsed back. */
const logged = (message: string) => {
  const line = scrubLine(`${JSON.stringify({ level: 50, msg: message })}\n`);
  expect(line.endsWith('\n')).toBe(true);
  return (JSON.parse(line) as { msg: string }).msg;
};

test('a line without secrets is unchanged', () => {
  const message = 'turn 3 of "ann"\n\tat C:\\new\\table.ts \u0001 é 🦀';
  expect(logged(message)).toBe(message);
});

test.each([
  ['at its beginning', `${KEY} was refused`],
  ['in its middle', `the key ${KEY}, which is wrong`],
  ['at the beginning of a further line', `Unauthorized:\n${KEY}`],
  ['behind a tab', `key\t${KEY}`],
  ['in quotes', `the key "${KEY}"`],
  ['in a body within a body', JSON.stringify({ error: `first\n${KEY}` })],
  ['behind a control character', `\u0001${KEY}`],
])('a key is removed from a line %s, and the rest stays readable', (_, message) => {
  const found = logged(message);
  expect(found).not.toContain(KEY);
  expect(found).toBe(message.replace(KEY, '[redacted:api-key]'));
});

test.each([
  `Authorization: Bearer ${TOKEN}`,
  `{"authorization":"Bearer ${TOKEN}"}`,
  `{"headers":{ "Authorization" : "Bearer ${TOKEN}" }}`,
  JSON.stringify({ body: `{"authorization":"Bearer ${TOKEN}"}` }),
  `authorization='Bearer ${TOKEN}'`,
])('the bearer token in %s is removed', (message) => {
  expect(logged(message)).toBe(message.replace(TOKEN, '[redacted:bearer-token]'));
});

test('several secrets in one line are all removed', () => {
  const aws = 'AKIAIOSFODNN7EXAMPLE';
  expect(logged(`${KEY}\n${aws} and ${KEY}`)).toBe('[redacted:api-key]\n[redacted:aws-key-id] and [redacted:api-key]');
});
