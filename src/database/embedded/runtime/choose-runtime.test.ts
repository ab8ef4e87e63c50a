// @module-tag slow
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { findPostmaster } from '../cluster/postmaster.ts';
import { startServer, stopServer } from '../cluster/start-server.ts';
import { makeHome } from '../owner-process.test-support.ts';
import { chooseDataFolder } from './choose-data-folder.ts';
import { chooseRuntime } from './choose-runtime.ts';
import { findRuntime } from './find-runtime.ts';
import { prepareRuntime } from './prepare-runtime.ts';

let home: string;
beforeEach(async () => {
  home = await makeHome();
});
afterEach(() => rm(home, { recursive: true }));

/** A system's PostgreSQL: the package's programs with another version. The file `used` lists those that were run. */
async function install(version: string): Promise<string> {
  const { user } = await chooseDataFolder(home);
  const packaged = await prepareRuntime(findRuntime(), home, user);
  const folder = path.join(home, `system-${version}`);
  await mkdir(path.join(folder, 'bin'), { recursive: true });
  await writeFile(path.join(folder, 'used'), '');
  await chmod(path.join(folder, 'used'), 0o666);
  for (const program of ['postgres', 'initdb', 'pg_ctl']) {
    const file = path.join(folder, 'bin', program);
    const real = path.join(packaged, 'bin', program);
    const says = `[ "$1" = --version ] && echo "postgres (PostgreSQL) ${version} (Debian ${version}-1)" && exit`;
    await writeFile(file, `#!/bin/sh\n${says}\necho ${program} >> '${folder}/used'\nexec '${real}' "$@"\n`);
    await chmod(file, 0o755);
  }
  for (const shared of ['lib', 'share']) await symlink(path.join(packaged, shared), path.join(folder, shared));
  return folder;
}

async function choose(systemFolders: string[], findPackaged = findRuntime): Promise<string> {
  return chooseRuntime(await chooseDataFolder(home), { systemFolders, findPackaged });
}

test("the system's PostgreSQL is used if it has the same major version and a newer release", async () => {
  const [older, same, newer, newest, next] = await Promise.all(['18.1', '18.4', '18.9', '18.10', '19.1'].map(install));
  const packaged = await choose([]);
  expect(await choose([older ?? '', same ?? '', next ?? '', path.join(home, 'nowhere')])).toBe(packaged);
  expect(await choose([older ?? '', newer ?? '', next ?? ''])).toBe(newer);
  expect(await choose([newer ?? '', newest ?? ''])).toBe(newest);
});

test("an incomplete or closed installation is not used, and the system's helps where the package does not run", async () => {
  const [whole, incomplete, closed] = await Promise.all(['18.2', '18.8', '18.9'].map(install));
  const packaged = await choose([]);
  await rm(path.join(incomplete ?? '', 'bin/initdb'));
  await chmod(path.join(closed ?? '', 'bin/postgres'), 0o600);
  expect(await choose([incomplete ?? '', closed ?? ''])).toBe(packaged);

  const missing = () => {
    throw new DatabaseUnavailable('The built-in PostgreSQL is missing.');
  };
  expect(await choose([whole ?? ''], missing)).toBe(whole);
  await expect(choose([], missing)).rejects.toThrow('The built-in PostgreSQL is missing');
});

test("a cluster is created and started with the system's programs", async () => {
  const { area, user } = await chooseDataFolder(home);
  const runtime = await choose([await install('18.9')]);
  const server = { runtime, data: path.join(area, 'postgres-18'), passwordFile: path.join(area, 'password'), user };
  await createCluster(server, () => {});
  await startServer(server, () => {});
  try {
    expect(await findPostmaster(server.data)).toMatchObject({ status: 'ready' });
  } finally {
    await stopServer(server);
  }
  expect(await readFile(path.join(runtime, 'used'), 'utf8')).toBe('initdb\npg_ctl\npg_ctl\n');
});
