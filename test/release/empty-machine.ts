import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, ROOT } from '../support/cached-folder.ts';

const NODE = path.join(ROOT, 'node_modules/node/bin/node');
const PROGRAMS = 'sh env cat cp chown gzip id ln ls mkdir mount rm setpriv tar touch true unshare'.split(' ');
const NPM = '/usr/local/lib/node_modules/npm';
const USER = 1000;

export type Machine = {
  /** The home of its only user. */
  readonly home: string;
  run(words: readonly string[], env?: Record<string, string>): Promise<string>;
  start(words: readonly string[], env?: Record<string, string>): ChildProcess;
  remove(): Promise<void>;
};

/** bubblewrap may need a right that a container lacks. */
export const canMakeMachines = (): boolean =>
  spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A machine with a shell, Node and npm, with a user who has never installed anything. It shares this machine's network. */
export async function makeMachine(): Promise<Machine> {
  const root = await makeRoot();
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-machine-'));
  await chmod(folder, 0o777);
  const places = [
    '--ro-bind',
    root,
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--bind',
    folder,
    '/home/ann',
  ];
  const enter = (env: Record<string, string>) => [
    ...MACHINE,
    ...places,
    ...Object.entries({ ...ENV, ...env }).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  return {
    home: folder,
    async run(words, env = {}) {
      const { stdout } = await promisify(execFile)('bwrap', [...enter(env), ...words]);
      return stdout;
    },
    start: (words, env = {}) =>
      spawn('bwrap', [...enter(env), ...words], { stdio: ['ignore', 'pipe', 'pipe'], detached: true }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Without a namespace for processes, so that a signal reaches the program. */
const MACHINE =
  `--unshare-user --unshare-ipc --unshare-uts --uid ${USER} --gid ${USER} --clearenv --chdir /home/ann`.split(' ');

const ENV = {
  HOME: '/home/ann',
  PATH: '/home/ann/.npm-global/bin:/usr/local/bin:/usr/bin:/bin',
  NPM_CONFIG_PREFIX: '/home/ann/.npm-global',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
};

/** The files of such a machine: the programs of this one with their libraries. Also the base of a container's image. */
export async function makeRoot(): Promise<string> {
  const version = execFileSync(NODE, ['--version'], { encoding: 'utf8' }).trim();
  return cachedFolder('machine', `node-${version}`, async (root) => {
    for (const folder of [
      'tmp',
      'proc',
      'dev',
      'etc',
      'home/ann',
      'usr/local/bin',
      'usr/local/lib/node_modules',
      'usr/bin',
    ])
      await mkdir(path.join(root, folder), { recursive: true });
    await chmod(root, 0o755);
    const programs = [NODE, ...PROGRAMS.map(find)];
    for (const program of programs) {
      const place = program === NODE ? 'usr/local/bin/node' : `usr/bin/${path.basename(program)}`;
      await cp(await realpath(program), path.join(root, place));
      for (const library of listLibraries(program)) await copyOnce(library, path.join(root, library));
    }
    await symlink('usr/bin', path.join(root, 'bin'));
    const npm = path.join(await realpath(find('npm')), '../..');
    await cp(npm, path.join(root, NPM), { recursive: true });
    await writeFile(path.join(root, 'usr/local/bin/npm'), `#!/bin/sh\nexec node ${NPM}/bin/npm-cli.js "$@"\n`, {
      mode: 0o755,
    });
    await writeFile(
      path.join(root, 'etc/passwd'),
      `root:x:0:0::/root:/bin/sh\nnode:x:${USER}:${USER}::/home/ann:/bin/sh\n`,
    );
    await writeFile(path.join(root, 'etc/group'), `root:x:0:\nnode:x:${USER}:\n`);
    await writeFile(path.join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  });
}

const find = (program: string): string => execFileSync('which', [program], { encoding: 'utf8' }).trim();

/** With all of glibc, which every machine has, whether or not these programs need it. */
function listLibraries(program: string): string[] {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  const found = Array.from(needed, ([, library = '']) => library);
  const glibc = path.dirname(found.find((library) => library.endsWith('libc.so.6')) ?? '');
  const parts = ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libutil.so.1'].map((part) => path.join(glibc, part));
  return [...found, ...parts.filter(existsSync)];
}

async function copyOnce(file: string, place: string): Promise<void> {
  if (existsSync(place)) return;
  await mkdir(path.dirname(place), { recursive: true });
  await cp(await realpath(file), place);
}
