import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { hashOfFiles, ROOT } from '../../test/support/cached-folder.ts';

/** The newest packages that npm may choose where a peer does not name an exact version. */
const BEFORE = '2026-11-16';

/** No reports about the use of a peer. */
export const QUIET = {
  MASTRA_TELEMETRY_DISABLED: '1',
  LANGGRAPH_CLI_NO_ANALYTICS: '1',
  OPENCLAW_NO_AUTO_UPDATE: '1',
  DO_NOT_TRACK: '1',
};

export type Installed = { readonly folder: string; readonly version: (dependency: string) => Promise<string> };

/** Installs the project of a peer. */
export const installProject = (name: string, build?: (folder: string) => Promise<void>): Promise<Installed> =>
  installFolder(`bench/peers/projects/${name}`, build);

/** Copies a folder of this repository to the cache and installs its packages there, unless that has been done. */
export async function installFolder(source: string, build?: (folder: string) => Promise<void>): Promise<Installed> {
  const folder = path.join(ROOT, 'node_modules/.cache/peers', source.replaceAll('/', '-'));
  const finished = path.join(folder, 'installed');
  const hash = await hashOfFiles([`${source}/**/*`], ['**/node_modules/**']);
  const isInstalled = existsSync(finished) && (await readFile(finished, 'utf8')) === hash;
  if (!isInstalled) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(path.dirname(folder), { recursive: true });
    await cp(path.join(ROOT, source), folder, { recursive: true });
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await runIn(folder, 'npm', ['install', ...quietly, `--before=${BEFORE}`]);
    await build?.(folder);
    await writeFile(finished, hash);
  }
  return { folder, version: (dependency) => versionOf(path.join(folder, 'node_modules', dependency)) };
}

/** Without the npm settings of this project, which `npm run` passes on. */
export async function runIn(folder: string, program: string, words: readonly string[]): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  await promisify(execFile)(program, words, { cwd: folder, env: { ...env, ...QUIET } });
}

export async function versionOf(packageFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(path.join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
