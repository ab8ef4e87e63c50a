import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bubblewrapArguments } from '#sandbox/bubblewrap/arguments.ts';
import { DEFAULT_LIMITS } from '#sandbox/sandbox.ts';
import { buildFilter } from '#sandbox/seccomp.ts';
import { createNamespaces } from '#tools/component/jail/wall.ts';

const UNIT = 'deploy/systemd/reborn.service';
const NOBODY = 65_534;

test.runIf(isInstalled('systemd-analyze'))('systemd rates the exposure of the unit below 3', () => {
  const said = execFileSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' });
  const exposure = /Overall exposure level for .*: ([\d.]+)/.exec(said)?.[1];
  expect(Number(exposure)).toBeGreaterThan(1);
  expect(Number(exposure)).toBeLessThan(3);
});

/**
 * What directives of the unit do to the mounts of a service, as commands of root in a new mount namespace. systemd itself does not run
 * in tests.
 */
const MOUNTS: Readonly<Record<string, string>> = {
  'ProtectProc=invisible': 'mount -t proc -o hidepid=invisible proc /proc',
  'ProtectControlGroups=yes': 'mount -o bind,ro /sys/fs/cgroup /sys/fs/cgroup',
  'ProtectHome=yes': 'mount -t tmpfs -o ro,mode=000 tmpfs /root && mount -t tmpfs -o ro,mode=000 tmpfs /home',
  'PrivateTmp=yes': 'mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=1777 tmpfs /var/tmp',
  'PrivateDevices=yes': `mount -t tmpfs -o mode=755,nosuid,noexec tmpfs /mnt && mkdir /mnt/pts /mnt/shm
    for name in null zero full random urandom tty; do touch /mnt/$name && mount --bind /dev/$name /mnt/$name; done
    mount --bind /dev/pts /mnt/pts && mount --bind /dev/shm /mnt/shm && ln -s pts/ptmx /mnt/ptmx
    mount -o remount,bind,ro,nosuid,noexec /mnt && mount --move /mnt /dev`,
};
const TUNABLES = 'mount -o bind,ro /proc/sys /proc/sys';

describe.runIf(isInstalled('bwrap') && canMount())('behind the directives of the unit', () => {
  const sandbox = [
    'bwrap',
    ...bubblewrapArguments(DEFAULT_LIMITS, 3, ['/bin/sh', '-c', 'test -d /proc/1 && echo started']),
  ];
  const { file, args } = createNamespaces(false).enclose('/bin/echo', ['started']);

  test('the unit has them', () => {
    const lines = readFileSync(UNIT, 'utf8').split('\n');
    for (const directive of [...Object.keys(MOUNTS), 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
      expect(lines).toContain(directive);
  });

  test('a sandbox and the jail of a tool start', async () => {
    const mounts = Object.values(MOUNTS).join('\n');
    expect(await startBehind(mounts, sandbox)).toBe('started\n');
    expect(await startBehind(mounts, [file, ...args])).toBe('started\n');
  });

  test('with ProtectKernelTunables, which the unit leaves out, no sandbox would', async () => {
    expect(readFileSync(UNIT, 'utf8')).not.toContain('ProtectKernelTunables');
    expect(await startBehind(TUNABLES, sandbox)).toContain("Can't mount proc");
  });
});

/** Starts a program as nobody, without privileges; returns what it says. */
async function startBehind(mounts: string, words: readonly string[]): Promise<string> {
  const user = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const drop = ['setpriv', ...user, '--no-new-privs', '--bounding-set=-all', '--'];
  const script = `set -e\n${mounts}\nexec "$@"`;
  const child = spawn(
    'unshare',
    ['--mount', '--propagation=private', '--', 'sh', '-c', script, 'sh', ...drop, ...words],
    { cwd: '/', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
  const [, out, err, filter] = child.stdio;
  if (filter && 'end' in filter) {
    filter.on('error', () => {}); // not every program reads it
    filter.end(buildFilter(process.arch === 'arm64' ? 'arm64' : 'x64'));
  }
  return (await Promise.all([out, err].map((stream) => text(stream as NodeJS.ReadableStream)))).join('');
}

function isInstalled(program: string): boolean {
  return works('sh', ['-c', `command -v ${program}`]);
}

/** Root of a machine can; root of a container without privileges can't. */
function canMount(): boolean {
  return works('unshare', ['--mount', '--propagation=private', '--', 'sh', '-c', 'mount -t proc proc /proc']);
}

function works(program: string, words: readonly string[]): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
