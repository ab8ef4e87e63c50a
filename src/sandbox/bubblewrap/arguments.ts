import { lstatSync, readlinkSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Limits } from '../sandbox.ts';

/** Programs and libraries see only these variables. Threads of OpenBLAS count as processes, and it starts one for each core. */
export const VARIABLES = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  USER: 'sandbox',
  LOGNAME: 'sandbox',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  MPLBACKEND: 'Agg',
  MPLCONFIGDIR: '/tmp',
  OPENBLAS_NUM_THREADS: '2',
  OMP_NUM_THREADS: '2',
};

/** Links to programs beside /usr, on systems that have merged them; folders on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Without them imports fail (numpy's BLAS is a link in the first), and certificates can't be checked. */
const SETTINGS = [
  'alternatives',
  'ld.so.cache',
  'fonts',
  'matplotlibrc',
  'ImageMagick-6',
  'ImageMagick-7',
  'mime.types',
  'ssl/certs', // whom to trust, for code with network
  'pki/ca-trust',
  'pki/tls/certs',
];

const USER = '1000';
const MACHINE_MEMORY_SHARE = 0.05;
const MIB = 2 ** 20;

/**
 * The filter is read from `filterDescriptor`. Root needs --unshare-user spelled out, and --disable-userns needs it, too.
 * bubblewrap's own /dev and / have no limit, so both become read-only at the end.
 */
export function bubblewrapArguments(limits: Limits, filterDescriptor: number, command: readonly string[]): string[] {
  const variables = Object.entries(VARIABLES).flatMap(([name, value]) => ['--setenv', name, value]);
  const settings = SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]);
  return [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session', '--as-pid-1'],
    ['--cap-drop', 'ALL', '--uid', USER, '--gid', USER, '--hostname', 'sandbox', '--clearenv', ...variables],
    ['--ro-bind', '/usr', '/usr', ...besideUsr(), ...settings],
    ['--proc', '/proc', '--dev', '/dev', ...sized(limits.tmpBytes, '/dev/shm'), '--remount-ro', '/dev'],
    [...sized(limits.tmpBytes, '/tmp'), ...sized(limits.workspaceBytes, '/workspace'), '--remount-ro', '/'],
    ['--chdir', '/workspace', '--seccomp', String(filterDescriptor), '--', ...command],
  ].flat();
}

/** The same limits for the runner, by the names that it uses. */
export function runnerLimits(limits: Limits): string {
  return JSON.stringify({
    nproc: limits.processes,
    data: limits.processMemoryBytes,
    fsize: limits.fileBytes,
    nofile: 1024,
    core: 0,
    memory: limits.memoryBytes,
    // Below it the machine itself is in need, whatever the guest has hidden from the runner's count.
    machineMemory: Math.floor(Math.min(256 * MIB, totalmem() * MACHINE_MEMORY_SHARE)),
    inodes: limits.files * 2, // with folders, and what is not kept
    workspace: limits.workspaceBytes,
    files: limits.files,
    depth: limits.depth,
    pathBytes: limits.pathBytes,
    output: limits.outputBytes,
  });
}

function sized(bytes: number, folder: string): string[] {
  return ['--size', String(bytes), '--tmpfs', folder];
}

function besideUsr(): string[] {
  return BESIDE_USR.flatMap((folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) return [];
    return found.isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder];
  });
}
