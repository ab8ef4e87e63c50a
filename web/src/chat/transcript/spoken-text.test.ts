import { expect, test } from 'vitest';
import { toSpokenText } from './spoken-text.ts';

test('an answer is read without its signs, addresses and code', () => {
  const answer = [
    '## Saturday',
    '1. **Ferry** to [Hovedøya](https://ferry.example)',
    '- swim',
    '',
    '| day | rain |\n| --- | --- |\n| Sun | 6 mm |',
    '',
    '```ts\nconst a = 1;\n```',
    'The end.',
  ].join('\n');
  expect(toSpokenText(answer)).toEqual(['Saturday', 'Ferry to Hovedøya', 'swim', 'day rain', 'Sun 6 mm', 'The end.']);
  expect(toSpokenText('```\nonly code')).toEqual([]);
});
