import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAttachedFiles } from './attached-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-files-'));
  await mkdir(path.join(folder, 'src'));
  await writeFile(path.join(folder, 'src/a.ts'), 'const a = 1;');
  await writeFile(path.join(folder, 'my notes.md'), '# Notes');
  await writeFile(path.join(folder, 'a b.png'), Buffer.from([0x89, 0x50, 0, 1]));
  await writeFile(path.join(folder, 'data.bin'), Buffer.from([0, 1, 2, 255]));
  await writeFile(path.join(folder, 'huge.txt'), '');
  await truncate(path.join(folder, 'huge.txt'), 11 * 1024 * 1024);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const namesIn = async (message: string) => (await readAttachedFiles(message, folder)).map(({ name }) => name);

test.each([
  ['Review @src/a.ts please', ['a.ts']],
  ['@"my notes.md" and @src/a.ts, and @src/a.ts again', ['my notes.md', 'a.ts']],
  ['Ask @ann about ann@src/a.ts and @src', []],
  ['nothing here', []],
])('%j attaches %j', async (message, names) => expect(await namesIn(message)).toEqual(names));

test('a word with the name of a server and an address attaches a resource', async () => {
  const read = async (server: string, uri: string) => [
    { name: `${server} ${uri}`, media_type: 'text/plain', data: '' },
  ];
  const attached = await readAttachedFiles('Read @docs:file:///a.md and mail:x', folder, read);
  expect(attached.map(({ name }) => name)).toEqual(['docs file:///a.md']);
});

test('a file is attached with its type and its bytes', async () => {
  expect(await readAttachedFiles('@src/a.ts', folder)).toEqual([
    { name: 'a.ts', media_type: 'text/plain', data: Buffer.from('const a = 1;').toString('base64') },
  ]);
});

test('a path of an image is attached as terminals paste it', async () => {
  expect(await readAttachedFiles(`What is ${folder}/a\\ b.png ?`, folder)).toMatchObject([
    { name: 'a b.png', media_type: 'image/png' },
  ]);
});

test.each([
  ['@data.bin', 'data.bin is not text, an image or a document'],
  ['@huge.txt', 'huge.txt is larger than 10 MiB'],
])('%s is refused', async (message, reason) => {
  await expect(readAttachedFiles(message, folder)).rejects.toThrow(reason);
});
