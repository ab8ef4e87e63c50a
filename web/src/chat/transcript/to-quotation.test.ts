import { expect, test } from 'vitest';
import { toQuotation } from './to-quotation.ts';

test('each line is quoted, and the cursor is below them', () => {
  expect(toQuotation(' one\r\n\ntwo\n')).toBe('> one\n>\n> two\n\n');
});
