import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './cached-folder.ts';

export type Release = { readonly version: string; readonly commit: string; readonly published: boolean };

/** Every release with the commit that it was made from, the newest last. */
export const RELEASES = JSON.parse(readFileSync(path.join(ROOT, 'releases.json'), 'utf8')) as readonly Release[];

/** Whether this clone has the commit of a release. A shallow clone has only the newest commits. */
export function hasSource({ commit }: Release): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;
}

/** A new folder with these paths of a release, and with the packages of this checkout. The caller removes it. */
export async function releasedSource({ version, commit }: Release, ...paths: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `reborn-${version}-`));
  const archive = execFileSync('git', ['archive', commit, ...paths], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
