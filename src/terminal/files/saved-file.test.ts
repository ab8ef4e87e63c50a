import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filePath, saveFile } from './saved-file.ts';

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-saved-'));
  target = path.join(folder, 'target');
  await mkdir(target);
});
afterEach(() => rm(folder, { recursive: true }));

const content = Buffer.from('bytes');

test('the last part of the name is used in a folder, and a target that is not a folder is the file', async () => {
  expect(await saveFile('data/costs.csv', content, { target })).toBe(path.join(target, 'costs.csv'));
  expect(await saveFile('data/costs.csv', content, { target: `${target}/other.csv` })).toBe(`${target}/other.csv`);
  expect(await readFile(path.join(target, 'costs.csv'), 'utf8')).toBe('bytes');
  expect((await stat(path.join(target, 'costs.csv'))).mode & 0o777).toBe(0o600);
});

test('a file that exists stays, unless it is to be replaced, and a link is never followed', async () => {
  const outside = path.join(folder, 'outside');
  await writeFile(outside, 'before');
  await symlink(outside, path.join(target, 'link'));
  await expect(saveFile('link', content, { target })).rejects.toMatchObject({ code: 'EEXIST' });
  await saveFile('link', content, { target, replace: true });
  expect(await readFile(path.join(target, 'link'), 'utf8')).toBe('bytes');
  expect(await readFile(outside, 'utf8')).toBe('before');
  await mkdir(path.join(target, 'taken'));
  await expect(saveFile('taken', content, { target, replace: true })).rejects.toThrow('EISDIR');
  expect(await readdir(target)).toEqual(['link', 'taken']);
});

/** Names made of what leads out of a folder, or steers a terminal. */
const hostile = fc
  .array(
    fc.constantFrom('..', '.', '/', '\\', 'a', 'C:', '~', '\u0000', '\n', '\u001b[2J', '\u202e', ' ', '%2e%2e', 'é'),
  )
  .map((parts) => parts.join(''));

test('no name writes outside of the target, or leaves the path of the files in a URL', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(hostile, fc.string({ unit: 'binary' })), async (name) => {
      const refused = path.join(target, 'refused');
      const saved = await saveFile(name, content, { target, replace: true }).catch(() => refused);
      expect(path.dirname(saved)).toBe(target);
      expect(saved).not.toMatch(/\p{Cc}/u);
      expect(await readdir(folder)).toEqual(['target']);
      expect(addressOf(name)).toMatch(/^\/api\/threads\/1\/files\/[^/]+$/);
    }),
    { numRuns: 300 },
  );
});

/** As the URL parser leaves it. */
function addressOf(name: string): string {
  try {
    return new URL(filePath('1', name), 'http://127.0.0.1').pathname;
  } catch {
    return '/api/threads/1/files/refused';
  }
}
