import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newToken, provisionOperatorToken } from './operator-token.ts';

let parent: string;
let home: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  home = path.join(parent, 'not', 'there');
});

afterEach(() => rm(parent, { recursive: true }));

test('the token is created once and kept', async () => {
  const token = await provisionOperatorToken(home);

  expect(token).toMatch(/^[\w-]{43}$/);
  expect(await provisionOperatorToken(home)).toBe(token);
  expect(await readFile(path.join(home, 'webui-token'), 'utf8')).toBe(`${token}\n`);
});

test('only the owner can read it', async () => {
  await provisionOperatorToken(home);

  expect((await stat(path.join(home, 'webui-token'))).mode & 0o777).toBe(0o600);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
});

test('processes that start together agree on one token and leave nothing behind', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => provisionOperatorToken(home)));

  expect(new Set(tokens)).toHaveProperty('size', 1);
  expect(await readdir(home)).toEqual(['webui-token']);
});

test('a token written by the operator is kept', async () => {
  await writeFile(path.join(parent, 'webui-token'), 'mine\n');

  expect(await provisionOperatorToken(parent)).toBe('mine');
});

test('no two tokens are equal', () => {
  expect(newToken()).not.toBe(newToken());
});
