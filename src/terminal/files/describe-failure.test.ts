import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeFailure } from './describe-failure.ts';

test('a failure with a file is described in a sentence, without codes', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-failure-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(path.join(folder, 'taken'), '');
  const described = (act: Promise<unknown>) => act.then(() => undefined, describeFailure);
  const file = (name: string) => path.join(folder, name);

  expect(await described(stat(file('none')))).toBe(`The file ${file('none')} does not exist.`);
  expect(await described(open(file('none/deep'), 'wx'))).toBe(`There is no folder ${file('none')}.`);
  expect(await described(open(file('taken'), 'wx'))).toBe(`${file('taken')} exists already. Choose another name.`);
  expect(await described(mkdir(file('taken/in')))).toBe(`A part of the path ${file('taken/in')} is not a folder.`);
  expect(await described(readFile(folder))).toBe(`${folder} is a folder. Name a file.`);
  expect(await described(writeFile(folder, ''))).toBe(`${folder} is a folder. Name a file.`);
});

test('other errors keep their message', () => {
  expect(describeFailure(new Error('No.'))).toBe('No.');
  const spawned = Object.assign(new Error('spawn vi ENOENT'), { code: 'ENOENT', syscall: 'spawn vi', path: 'vi' });
  expect(describeFailure(spawned)).toBe('spawn vi ENOENT');
});
