import { expect, test } from 'vitest';
import { isTextType } from './media-type.ts';

test.each([
  ['text/plain', true],
  ['text/csv; charset=utf-8', true],
  ['application/json', true],
  ['application/x-ndjson', true],
  ['application/problem+json', true],
  ['image/svg+xml', true],
  ['application/yaml', true],
  ['application/pdf', false],
  ['image/png', false],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', false],
])('%s is text: %s', (mediaType, expected) => {
  expect(isTextType(mediaType)).toBe(expected);
});
