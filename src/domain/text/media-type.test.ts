import { expect, test } from 'vitest';
import { cleanFileName, cleanMediaType, extensionOf, isShownPicture, isTextType } from './media-type.ts';

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

test.each([
  ['plan.pdf', 'plan.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\temp\\a.exe', 'a.exe'],
  ['file:///a/plan x.pdf', 'plan_x.pdf'],
  ['..hidden', 'hidden'],
  ['invoice\u202Efdp.exe', 'invoice_fdp.exe'],
  ['a"\r\nContent-Type: text/html', 'html'],
  ['**bold** [x](y).md', '_bold_x_y_.md'],
  ['/', ''],
  ['x'.repeat(500), 'x'.repeat(80)],
])('the name %j becomes %j', (given, expected) => {
  expect(cleanFileName(given)).toBe(expected);
});

test('types that can run scripts are not shown, and malformed ones become the type of any bytes', () => {
  expect(['image/png', 'image/svg+xml', 'text/html'].filter(isShownPicture)).toEqual(['image/png']);
  expect(cleanMediaType('image/png\r\nX: y')).toBe('application/octet-stream');
  expect(['image/jpeg', 'audio/mpeg', 'application/pdf', 'application/octet-stream'].map(extensionOf)).toEqual([
    '.jpg',
    '.mp3',
    '.pdf',
    '.bin',
  ]);
});
