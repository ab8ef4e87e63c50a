import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findServerUser, requireUserName } from './server-user.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'reborn-users-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function userAmong(...lines: string[]) {
  const file = path.join(folder, 'passwd');
  await writeFile(file, lines.join('\n'));
  return findServerUser(file);
}

test('under root the server runs as postgres, or else as nobody', async () => {
  const root = 'root:x:0:0:root:/root:/bin/sh';
  const nobody = 'nobody:x:65534:65533:nobody:/:/sbin/nologin';

  expect(await userAmong(root, nobody, 'postgres:x:101:104::/:/bin/sh')).toEqual({ uid: 101, gid: 104 });
  expect(await userAmong(root, nobody)).toEqual({ uid: 65534, gid: 65533 });
  await expect(userAmong(root)).rejects.toThrow('set DATABASE_URL');
});

test('for a user without a name, the error asks for DATABASE_URL', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };

  expect(() => requireUserName(nameless)).toThrow(/user \d+ has none.*set DATABASE_URL/);
});
