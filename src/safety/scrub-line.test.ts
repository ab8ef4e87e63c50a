import { expect, test } from 'vitest';
import { scrubLine } from './scrub-line.ts';

test('what looks like a key is taken out of a line of the log, and the rest stays', () => {
  const key = `sk-proj-${'aB3dE5fG7h'.repeat(5)}`;
  const line = JSON.stringify({ level: 50, err: { message: `refused: Bearer ${key}` }, reqId: '7' });

  const scrubbed = scrubLine(line);

  expect(scrubbed).not.toContain(key);
  expect(JSON.parse(scrubbed)).toMatchObject({ level: 50, reqId: '7' });
});

test('a line without one stays as it is', () => {
  const line = '{"level":30,"msg":"The gateway is at http://127.0.0.1:3000"}';

  expect(scrubLine(line)).toBe(line);
});
