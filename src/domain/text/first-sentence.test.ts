import { expect, test } from 'vitest';
import { firstSentence } from './first-sentence.ts';

test.each([
  ['Three mails need an answer. Rain from 14:00.', 'Three mails need an answer.'],
  ['# Prices\n\nOne change.', 'Prices'],
  [
    '**One** change: [Polarlys](https://polarlys.example) raised `small` to 89 kr.',
    'One change: Polarlys raised small to 89 kr.',
  ],
  ['\n\n- first\n- second', 'first'],
  ['| --- | --- |\n| a | b |', '| a | b |'],
  ['```\n\n---\n', ''],
  ['', ''],
])('the first sentence of %j is %j', (answer, sentence) => {
  expect(firstSentence(answer)).toBe(sentence);
});

test('a sentence that does not end is cut', () => {
  expect(firstSentence('word '.repeat(1000))).toMatch(/^(?:word ){39,40}.{0,4}…$/);
});
