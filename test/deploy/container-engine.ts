import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { packPackage } from '../package/installed.ts';
import { makeRoot } from '../release/empty-machine.ts';
import { ROOT } from '../support/cached-folder.ts';

const run = promisify(execFile);

/** In namespaces of its own: podman refuses a machine that has both versions of control groups, as some virtual ones have. */
const IN_NAMESPACE = [
  '--mount',
  'sh',
  '-c',
  'umount -l /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"',
  'sh',
];
/** What compose.yaml and the chart give a container, but with the network of this machine. */
const CONFINED = [
  '--rm --no-healthcheck --network=host --cgroups=disabled --read-only --cap-drop=ALL --security-opt=no-new-privileges',
  '--tmpfs=/tmp --tmpfs=/data:mode=1777 --ulimit=nofile=1024:1024 --ulimit=nproc=4096:4096',
  `--security-opt=seccomp=${path.join(ROOT, 'deploy/docker/seccomp.json')}`,
].flatMap((words) => words.split(' '));

export type Engine = {
  /** Starts the command in a container of the image, as the deployments do. */
  start(options: readonly string[], command: readonly string[]): ChildProcess;
  /** What it prints, however it ends. */
  run(options: readonly string[], command: readonly string[]): Promise<string>;
  remove(): Promise<void>;
};

/** Builds the image of the service by its Dockerfile, on a base that is made of the programs of this machine. */
export async function buildImage(): Promise<Engine> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-engine-'));
  const storage = [`--root=${folder}/storage`, `--runroot=${folder}/run`, '--storage-driver=overlay'];
  const build = (context: string, file: string, words: readonly string[]) => {
    const quietly = ['build', '--quiet', '--isolation=chroot', '--format=docker', `--file=${file}`];
    return run('unshare', [...IN_NAMESPACE, 'podman', ...storage, ...quietly, ...words, context]);
  };
  await writeFile(path.join(folder, 'base'), 'FROM scratch\nCOPY . /\n');
  await build(await makeRoot(), path.join(folder, 'base'), ['--tag=localhost/base']);
  const context = await prepareContext(folder);
  await build(context, path.join(context, 'Dockerfile'), ['--target=service', '--tag=localhost/reborn']);

  const podman = ['podman', ...storage, '--cgroup-manager=cgroupfs', 'run', ...CONFINED];
  const start: Engine['start'] = (options, command) => {
    const words = [...IN_NAMESPACE, ...podman, ...options, 'localhost/reborn', ...command];
    return spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] });
  };
  return {
    start,
    run: async (options, command) => {
      const { stdout } = start(options, command);
      return stdout ? text(stdout) : '';
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** podman of Debian 12 does not know which base an argument names, or the platform that it builds on. */
async function prepareContext(folder: string): Promise<string> {
  const context = path.join(folder, 'context');
  await mkdir(path.join(context, 'dist/release'), { recursive: true });
  const { tarball } = await packPackage();
  await cp(tarball, path.join(context, 'dist/release', path.basename(tarball)));
  const dockerfile = await readFile(path.join(ROOT, 'deploy/docker/Dockerfile'), 'utf8');
  const changed = dockerfile
    .replaceAll(/docker\.io\/library\/node:\S+/g, 'localhost/base')
    .replace('--platform=$BUILDPLATFORM ', '')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is an argument of the Dockerfile
    .replace('FROM ${BASE}', 'FROM plain');
  await writeFile(path.join(context, 'Dockerfile'), changed);
  return context;
}

/** Whether there is an engine that may make containers here. */
export function canContain(): boolean {
  const works = (program: string) => spawnSync(program, ['--version']).status === 0;
  return works('podman') && works('catatonit') && spawnSync('unshare', [...IN_NAMESPACE, 'true']).status === 0;
}
