import { expect, test } from 'vitest';
import { hexFromUuid, newId, type UploadId } from '#domain/ids.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { parseContent } from './content.ts';

const refused = (param: string) => expect.objectContaining({ name: 'InvalidRequest', code: 'invalid_request', param });
const image = (image_url: unknown) => ({ type: 'input_image', image_url });

test('a string is one text', () => {
  expect(parseContent('a\nb', 'p')).toEqual([{ type: 'text', text: 'a\nb' }]);
});

test.each(['input_text', 'output_text', 'text'])('a part of type %s is a text', (type) => {
  expect(parseContent([{ type, text: 'a\nb' }], 'p')).toEqual([{ type: 'text', text: 'a\nb' }]);
});

test('a refusal of another service is a text', () => {
  expect(parseContent([{ type: 'refusal', refusal: 'No.' }], 'p')).toEqual([{ type: 'text', text: 'No.' }]);
  expect(() => parseContent([{ type: 'refusal' }], 'p')).toThrow(refused('p[0].refusal'));
});

test('images and files are accepted as data URLs, in their order', () => {
  const parts = [
    { type: 'input_file', file_data: 'data:application/vnd.ms-excel;base64,YQ==', filename: 'a.xls' },
    image('data:image/svg+xml;base64,YWI='),
    { type: 'input_file', file_data: 'data:text/plain;base64,YWJj', filename: 5 },
  ];

  expect(parseContent(parts, 'p')).toEqual([
    { type: 'file', mediaType: 'application/vnd.ms-excel', base64: 'YQ==', filename: 'a.xls' },
    { type: 'image', mediaType: 'image/svg+xml', base64: 'YWI=' },
    { type: 'file', mediaType: 'text/plain', base64: 'YWJj', filename: null },
  ]);
});

test.each([
  'https://example.com/cat.png',
  'http://169.254.169.254/',
  'file:///etc/passwd',
  'data:image/png,abc',
  'data:image/png;base64,',
  'data:image/png;base64,a b',
  'data:image/png;base64,YQ==\n',
  'data:;base64,YQ==',
  'data:image;base64,YQ==',
  ' data:image/png;base64,YQ==',
  '',
  null,
  5,
  { url: 'data:image/png;base64,YQ==' },
])('%j is not fetched and not taken', (url) => {
  expect(() => parseContent([image(url)], 'p')).toThrow(refused('p[0].image_url'));
  expect(() => parseContent([{ type: 'input_file', file_data: url }], 'p')).toThrow(refused('p[0].file_data'));
});

test.each<[param: string, content: unknown]>([
  ['p', undefined],
  ['p', null],
  ['p', 5],
  ['p', { type: 'text', text: 'a' }],
  ['p[0]', ['a']],
  ['p[0]', [null]],
  ['p[1].type', [{ type: 'text', text: 'a' }, {}]],
  ['p[0].type', [{ type: 'input_audio', text: 'a' }]],
  ['p[0].text', [{ type: 'input_text' }]],
  ['p[0].text', [{ type: 'input_text', text: 5 }]],
])('%s is named when the content is %j', (param, content) => {
  expect(() => parseContent(content, 'p')).toThrow(refused(param));
});

test('a part may say who wrote it', () => {
  const data = 'data:text/plain;base64,YQ==';
  const parts = [
    { type: 'input_text', text: 'a', origin: 'others', source: 'mail' },
    { type: 'input_text', text: 'b', origin: 'others', source: null },
    { type: 'input_text', text: 'c', origin: 'own', source: 'ignored' },
    { type: 'input_file', file_data: data, origin: 'own' },
    { type: 'input_file', file_data: data, origin: 'others' },
    { ...image('data:image/png;base64,YQ=='), origin: 'own' },
  ];

  expect(parseContent(parts, 'p')).toEqual([
    { type: 'text', text: 'a', origin: 'others', source: 'mail' },
    { type: 'text', text: 'b', origin: 'others' },
    { type: 'text', text: 'c' },
    { type: 'file', mediaType: 'text/plain', base64: 'YQ==', filename: null, origin: 'own' },
    { type: 'file', mediaType: 'text/plain', base64: 'YQ==', filename: null },
    { type: 'image', mediaType: 'image/png', base64: 'YQ==', origin: 'own' },
  ]);
  expect(() => parseContent([{ type: 'text', text: 'a', origin: 'mine' }], 'p')).toThrow(refused('p[0].origin'));
  const long = { type: 'text', text: 'a', origin: 'others', source: 'x'.repeat(201) };
  expect(() => parseContent([long], 'p')).toThrow(refused('p[0].source'));
});

const upload = {
  id: newId<UploadId>(),
  filename: 'chart.png',
  mediaType: 'image/png',
  purpose: 'vision' as const,
  sha256: hashOf(Buffer.from('bytes')),
  bytes: 5,
  createdAt: new Date(),
};
const file_id = `file-${hexFromUuid(upload.id)}`;

test('an uploaded file is named by its id, and other fields come first', () => {
  const known = new Map([[file_id, upload]]);
  const { sha256, bytes, mediaType, id } = upload;
  const stored = { mediaType, sha256, bytes, fileId: id };
  const parts = [
    { type: 'input_image', image_url: null, file_id },
    { type: 'input_file', file_id, origin: 'own' },
    { type: 'input_file', file_id, filename: 'mine.png' },
    { type: 'input_file', file_id, file_data: 'data:text/plain;base64,YQ==' },
    { ...image('data:image/png;base64,YQ=='), file_id },
  ];
  expect(parseContent(parts, 'p', known)).toEqual([
    { type: 'image', ...stored },
    { type: 'file', ...stored, filename: 'chart.png', origin: 'own' },
    { type: 'file', ...stored, filename: 'mine.png' },
    { type: 'file', mediaType: 'text/plain', base64: 'YQ==', filename: null },
    { type: 'image', mediaType: 'image/png', base64: 'YQ==' },
  ]);
});

test.each([file_id, 'file-1', 5, {}])('the id %j of no known file is refused', (unknown) => {
  for (const type of ['input_image', 'input_file'])
    expect(() => parseContent([{ type, file_id: unknown }], 'p')).toThrow(refused('p[0].file_id'));
});
