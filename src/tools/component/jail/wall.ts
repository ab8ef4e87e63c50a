import { spawn } from 'node:child_process';
import type { Enclosure } from '#domain/tool/enclosure.ts';
import { packageFile } from '#program-files.ts';

/**
 * What the operating system denies the process of a jail, even if Node or V8 inside it is compromised. The available
 * layers depend on the machine: they are tried, and the best that works is taken.
 */
export type Wall = Enclosure & {
  readonly layers: readonly Layer[];
  /** Why there are not all of them. */
  readonly shortfall?: string;
};

export type Layer = keyof typeof LAYERS;
type Candidate = Enclosure & { readonly hasOtherUser: boolean };

/** What each layer denies. */
export const LAYERS = {
  network: 'it can reach no network',
  files: "it sees no files but Node's own program",
  processes: 'it can signal no other process',
  user: 'it runs as nobody',
} as const;

/** `nobody` on Linux and, as -2, on macOS. */
const NOBODY = process.platform === 'darwin' ? 0xffff_fffe : 65_534;
const PROBE_MS = 30_000;

/** Layers without which an operator wants no tool to run. */
export type RequiredLayers = readonly Exclude<Layer, 'user'>[];

/** Why no tool may run here, as a sentence; undefined if every required layer holds. */
export async function findMissingLayers(required: RequiredLayers, find = findWall): Promise<string | undefined> {
  if (required.length === 0) return undefined;
  const { layers, shortfall = '' } = await find();
  const missing = required.filter((layer) => !layers.includes(layer));
  if (missing.length === 0) return undefined;
  return `TOOL_JAIL_REQUIRES asks the operating system for layers that it does not have here: ${missing.join(', ')}. ${shortfall}`.trim();
}

let found: Promise<Wall> | undefined;

/** Looks once per process. */
export function findWall(): Promise<Wall> {
  found ??= chooseWall(candidates());
  return found;
}

/** The first candidate that can be started wins. Without one, tools still run in the jail that Node makes. */
export async function chooseWall(from: readonly Candidate[]): Promise<Wall> {
  let shortfall: string | undefined;
  for (const { enclose, hasOtherUser } of from) {
    const result = await probe(enclose);
    if ('failure' in result) shortfall ??= result.failure;
    else {
      const layers: Layer[] = [...result.layers, ...(hasOtherUser ? ['user' as const] : [])];
      return { enclose, layers, ...(shortfall && { shortfall }) };
    }
  }
  shortfall ??= `Reborn knows no way to confine a process on ${process.platform} without being root.`;
  return { enclose: (file, args) => ({ file, args }), layers: [], shortfall };
}

function candidates(): Candidate[] {
  const isRoot = process.getuid?.() === 0;
  const namespaces = process.platform === 'linux' ? [createNamespaces(isRoot)] : [];
  if (isRoot) return [...namespaces, otherUser];
  return process.platform === 'linux' ? [...namespaces, networkAlone] : [];
}

/** For root where namespaces can't be made, as in most containers. */
const otherUser: Candidate = {
  hasOtherUser: true,
  enclose: (file, args) => ({ file, args, uid: NOBODY, gid: NOBODY }),
};

/** Where namespaces can be made, and nothing be mounted in them. */
const networkAlone: Candidate = {
  hasOtherUser: false,
  enclose: (file, args) => ({ file: 'unshare', args: ['--user', '--net', '--ipc', '--', file, ...args] }),
};

/**
 * Its own network without any device, a root folder that holds Node and its libraries and can't be written to, and no
 * processes but its own. It has no /proc, because containers and hardened services do not allow to mount one. The inner
 * namespace takes the rights away that the outer one needs for mounting. When the process that waits outside is killed,
 * the kernel kills the one inside.
 */
export function createNamespaces(isRoot: boolean): Candidate {
  const outer = ['--mount', '--net', '--ipc', '--uts', ...(isRoot ? [] : ['--user', '--map-root-user'])];
  const user = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const inner = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--pid', '--fork', '--kill-child=SIGKILL'];
  const root = [`--root=${ROOT}`, '--wd=/'];
  const build = ['/bin/sh', '-c', BUILD_ROOT, 'wall', ...listLibraries()];
  const drop = ['setpriv', '--no-new-privs', ...user, 'unshare', ...inner, ...root];
  return {
    hasOtherUser: isRoot,
    enclose: (program, args) => ({
      file: 'unshare',
      args: [...outer, '--', ...build, program, '--', ...drop, '--', program, ...args],
    }),
  };
}

/** A folder that exists on every Linux and holds nothing that a program needs; it is covered inside the namespace only. */
const ROOT = '/sys';

const BUILD_ROOT = `
set -e
ulimit -c 0
mount -t tmpfs -o nosuid,nodev,mode=755,size=1m tmpfs ${ROOT}
while [ "$1" != -- ]; do
  mkdir -p "${ROOT}\${1%/*}"
  : > "${ROOT}$1"
  mount -o bind,ro,nosuid,nodev "$1" "${ROOT}$1"
  shift
done
shift
mount -o remount,bind,ro,nosuid,nodev,noexec ${ROOT}
exec env -i "$@"`;

/** As the loader has found them for this process, which is the same program. */
function listLibraries(): string[] {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  report.excludeNetwork = true; // it would look up names
  const { sharedObjects } = report.getReport() as { sharedObjects: string[] };
  return sharedObjects.filter((file) => file.startsWith('/') && !file.endsWith('.node'));
}

/** What a process behind the wall finds out about it. In a container, the service may have the number 1, as the first of a namespace has. */
const PROBE = `
const [file, pid] = process.argv.slice(1);
const isAlone = () => { try { return process.pid === 1 || !process.kill(Number(pid), 0); } catch { return true; } };
console.log(JSON.stringify({
  network: Object.keys(require('node:os').networkInterfaces()).length === 0,
  files: !require('node:fs').existsSync(file),
  processes: isAlone(),
}));`;

async function probe(enclose: Wall['enclose']): Promise<{ layers: Layer[] } | { failure: string }> {
  const facts = [packageFile('package.json'), String(process.pid)];
  const { file, args, ...user } = enclose(process.execPath, ['--eval', PROBE, '--', ...facts]);
  const { promise, resolve } = Promise.withResolvers<{ layers: Layer[] } | { failure: string }>();
  const child = spawn(file, args, { ...user, env: {}, cwd: '/', timeout: PROBE_MS, killSignal: 'SIGKILL' });
  let [said, complaint] = ['', ''];
  child.stdin.end();
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  child.on('error', (error) => resolve({ failure: error.message }));
  child.on('close', (code) => {
    if (code !== 0) return resolve({ failure: complaint.split('\n')[0] || `The probe ended with ${code}.` });
    const holds = JSON.parse(said) as Partial<Record<Layer, boolean>>;
    resolve({ layers: (Object.keys(LAYERS) as Layer[]).filter((layer) => holds[layer]) });
  });
  return promise;
}
