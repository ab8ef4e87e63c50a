import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isCurrentBuild, writeNote } from '../../web/source-hash.ts';

test('a build of the browser app is used again only for the sources that it was made from', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-build-'));
  await mkdir(path.join(folder, '.vite'));
  expect(await isCurrentBuild(folder)).toBe(false); // unfinished
  await writeNote(folder);
  expect(await isCurrentBuild(folder)).toBe(true);
  await writeFile(path.join(folder, '.vite/sources'), 'a hash of other sources');
  expect(await isCurrentBuild(folder)).toBe(false);
  await rm(folder, { recursive: true });
});
