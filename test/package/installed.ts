import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { listInstalled } from '../../scripts/package/installed-packages.ts';
import { cachedFolder, hashOfFiles, ROOT } from '../support/cached-folder.ts';
import { findFreePort } from '../support/free-port.ts';
import { TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { openTerminal } from '../terminal/tmux.ts';

const run = promisify(execFile);

/** What goes into the package. */
const SOURCES = [
  '{src,migrations,sdk,wit,scripts,client,web}/**/*',
  '{package,package-lock,tsconfig}.json',
  '{LICENSE,README.md,CHANGELOG.md,SECURITY.md}',
];
const EXCLUDED = ['**/node_modules/**', '**/*.test.ts', 'web/dist/**'];

/** The package as npm installs it in an empty folder, with links to its dependencies and to no other packages. */
export async function installPackage() {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-package-'));
  await chmod(folder, 0o755);
  const { tarball, files } = await packPackage();
  const installed = path.join(folder, 'node_modules/reborn-agent');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', tarball, '--strip-components=1', '-C', installed]);
  await linkDependencies(folder, installed);
  return { folder, installed, files, remove: () => rm(folder, { recursive: true }) };
}

/** The package as it is published, built once for each state of the sources. Most of that time goes to the browser app. */
export async function packPackage() {
  const packed = await cachedFolder('package', await hashOfFiles(SOURCES, EXCLUDED), pack);
  const { filename, files, version } = JSON.parse(await readFile(path.join(packed, 'packed.json'), 'utf8')) as Packed;
  return { tarball: path.join(packed, filename), files, version };
}

async function pack(folder: string): Promise<void> {
  await run(process.execPath, ['scripts/build-package.ts', path.join(folder, 'built')], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--json', './built'], { cwd: folder });
  const [packed] = parsePacked(stdout);
  await writeFile(path.join(folder, 'packed.json'), JSON.stringify(packed));
}

type Packed = { filename: string; version: string; files: { path: string }[] };

/** npm 12 names each package; before it was a list. */
function parsePacked(stdout: string): Packed[] {
  return Object.values(JSON.parse(stdout) as Record<string, Packed>);
}

async function linkDependencies(folder: string, installed: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), link);
  }
}

/** The bytes that an installation takes on this machine: the package, and what npm installs with it. */
export async function sizeWithDependencies(installed: string): Promise<number> {
  const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'));
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const folders = direct.map((name) => `node_modules/${name}`);
  const needed = (await listInstalled(ROOT, folders)).map((each) => each.folder);
  const present = [...new Set([...folders, ...needed])].map((each) => path.join(ROOT, each)).filter(existsSync);
  const sizes = await Promise.all([installed, ...present].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size);
}

async function sizeOf(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  const stats = await Promise.all(files.map((file) => stat(path.join(file.parentPath, file.name))));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

/** The packages whose code is in the program. The bundler names them above each file. */
export async function findBundled(installed: string): Promise<string[]> {
  const files = await readdir(path.join(installed, 'src'));
  const texts = files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFile(path.join(installed, 'src', file), 'utf8'));
  return [...new Set((await Promise.all(texts)).flatMap(packagesIn))];
}

export const packagesIn = (text: string): string[] =>
  Array.from(text.matchAll(/^\/\/(?:#region)? ?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm), ([, name]) => name ?? '');

/** The user who runs it: the user of the tests, or another one, which needs root. */
export type Person = { readonly uid: number; readonly gid: number } | undefined;

/** The installed command in a terminal, with a new home folder. */
export async function openInstalled(installed: string, person: Person) {
  const home = await mkdtemp(path.join(tmpdir(), 'reborn-package-home-'));
  await chmod(home, 0o711); // as root, PostgreSQL runs as another user
  if (person) await chown(home, person.uid, person.gid);
  const port = await findFreePort();
  const terminal = await openTerminal({
    program: [...becoming(person), process.execPath, path.join(installed, 'bin/reborn.js')],
    columns: 120,
    env: {
      HOME: home,
      REBORN_HOME: path.join(home, '.reborn'),
      GATEWAY_PORT: '0',
      HTTP_PORT: String(port),
      HTTP_HOST: '127.0.0.1',
      HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
      SERVICE_REBORN_WEBUI_TOKEN: TOKEN,
      NODE_COMPILE_CACHE: '', // as it is for a person
    },
  });
  const login = (await terminal.sees(/login\?code=\S+/, 90_000)).match(/http:\S+/)?.[0] ?? '';
  return {
    terminal,
    login,
    gateway: new URL(login).origin,
    webhook: `http://127.0.0.1:${port}`,
    close: async () => {
      await terminal.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export function canBecome(person: Person): boolean {
  const [program, ...words] = [...becoming(person), process.execPath, '--version'];
  return spawnSync(program ?? '', words).status === 0;
}

const becoming = (person: Person): string[] =>
  person ? ['setpriv', `--reuid=${person.uid}`, `--regid=${person.gid}`, '--clear-groups'] : [];
