// @module-tag slow
import { execFile } from 'node:child_process';
import { chmod, cp, lstat, readdir, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeHome } from '../owner-process.test-support.ts';
import { findRuntime } from './find-runtime.ts';
import { prepareRuntime } from './prepare-runtime.ts';
import { findServerUser, type ServerUser } from './server-user.ts';

let area: string;
let native: string;
beforeEach(async () => {
  area = await makeHome();
  native = path.join(area, 'package', 'native');
  await cp(findRuntime(), native, { recursive: true, verbatimSymlinks: true });
  await cp(path.join(findRuntime(), '../package.json'), path.join(native, '../package.json'));
  await removeLinks(path.join(native, 'lib'));
});
afterEach(() => rm(area, { recursive: true, force: true }));

async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isSymbolicLink()) await unlink(path.join(folder, entry.name));
}

function versionOf(runtime: string, user?: ServerUser): Promise<{ stdout: string }> {
  return promisify(execFile)(path.join(runtime, 'bin', 'postgres'), ['--version'], { env: {}, cwd: '/', ...user });
}

test('missing library links are created', async () => {
  await expect(versionOf(native)).rejects.toThrow('shared libraries');

  expect(await prepareRuntime(native, area, undefined)).toBe(native);

  expect((await versionOf(native)).stdout).toContain('PostgreSQL) 18');
  expect((await lstat(path.join(native, 'lib', 'libpq.so.5'))).isSymbolicLink()).toBe(true);
});

test.runIf(process.getuid?.() === 0)(
  "a package that the server's user can't read is copied to a place where it can run",
  async () => {
    await chmod(path.dirname(native), 0o700);
    const user = await findServerUser();

    const runtime = await prepareRuntime(native, area, user);

    expect(path.dirname(runtime)).toBe(area);
    expect((await versionOf(runtime, user)).stdout).toContain('PostgreSQL) 18');
    expect(await prepareRuntime(native, area, user)).toBe(runtime);
  },
);
