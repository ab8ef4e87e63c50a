import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './cached-folder.ts';

export type Release = { readonly version: string; readonly commit: string; readonly published: boolean };

/** Every release with the commit that it was made from, the newest last. */
export const RELEASES = JSON.parse(readFileSync(path.join(ROOT, 'releases.json'), 'utf8')) as readonly Release[];

/** Whether this clone has the commit of a release. A shallow clone has only the newest commits. */
export function hasSource({ commit }: Release): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;
}

/** A new folder with these paths of a release, and with the packages of this checkout. The caller removes it. */
export async function releasedSource(
  { version, commit }: Pick<Release, 'version' | 'commit'>,
  ...paths: readonly string[]
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `reborn-${version}-`));
  const archive = execFileSync('git', ['archive', commit, ...paths], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await linkPackages(path.join(folder, 'node_modules'));
  return folder;
}

/** The packages of the workspace come from the release, too. */
async function linkPackages(folder: string): Promise<void> {
  const [present, own] = [path.join(ROOT, 'node_modules'), '@reborn-agent'];
  await mkdir(path.join(folder, own), { recursive: true });
  const links = (await readdir(present)).filter((name) => name !== own);
  await Promise.all([
    ...links.map((name) => symlink(path.join(present, name), path.join(folder, name))),
    ...OWN.map(([name, source]) => symlink(path.join('../..', source), path.join(folder, own, name))),
  ]);
}

const OWN = [
  ['client', 'client'],
  ['tool', 'sdk'],
  ['web', 'web'],
] as const;

/** Compiles a program from its whole source, as its own version does it. */
export async function layOutReleased(source: string, target: string): Promise<void> {
  const build = `const { layOutProgram } = await import('./scripts/package/lay-out-program.ts'); await layOutProgram(process.cwd(), '${target}')`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', build], { cwd: source });
}
