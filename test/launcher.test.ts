import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root: string;
let path: string;

beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'reborn-launcher-')), 'a checkout');
  path = join(root, 'path');
  mkdirSync(path, { recursive: true });
  cpSync(join(import.meta.dirname, '../bin'), join(root, 'bin'), { recursive: true });
});

afterEach(() => rmSync(dirname(root), { recursive: true }));

test('the Node of a checkout runs its sources with unchanged arguments', () => {
  plantNode(join(root, 'node_modules/node/bin'), 'v26.10.0');
  plantNode(path, 'v30.0.0');

  expect(run(join(root, 'bin/reborn'), 'serve', 'two words', '')).toEqual({
    status: 0,
    stdout: `v26.10.0 ${root}/src/main.ts|serve|two words||`,
    stderr: '',
  });
});

test('the launcher works through links, such as the one in node_modules/.bin', () => {
  plantNode(join(root, 'node_modules/node/bin'), 'v26.10.0');
  mkdirSync(join(root, 'node_modules/.bin'));
  symlinkSync('../../bin/reborn', join(root, 'node_modules/.bin/reborn'));
  symlinkSync(join(root, 'node_modules/.bin/reborn'), join(path, 'reborn'));

  expect(run(join(path, 'reborn')).stdout).toBe(`v26.10.0 ${root}/src/main.ts|`);
});

test.each(['v24.21.0', 'v24.30.1', 'v25.0.0', 'v100.0.0'])('without one, Node %s on the PATH will do', (version) => {
  plantNode(path, version);

  expect(run(join(root, 'bin/reborn')).stdout).toBe(`${version} ${root}/src/main.ts|`);
});

test.each(['v24.20.9', 'v22.22.0', 'v4.30.0', 'nonsense'])('Node %s is refused with one sentence', (version) => {
  plantNode(path, version);

  expect(run(join(root, 'bin/reborn'))).toEqual({
    status: 1,
    stdout: '',
    stderr: `reborn needs Node 24.21 or later, but found ${version}; run \`npm ci\` in ${root} or install a newer Node.\n`,
  });
});

test('no Node at all is refused the same way', () => {
  expect(run(join(root, 'bin/reborn')).stderr).toMatch(/^reborn needs Node 24\.21 or later, but found none; /);
});

test('the service replaces the launcher process, so that signals reach it', async () => {
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules/node/bin/node'));
  mkdirSync(join(root, 'src'));
  writeFileSync(
    join(root, 'src/main.ts'),
    "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log(process.pid satisfies number);",
  );

  const launched = spawn(join(root, 'bin/reborn'), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(launched.stdout, 'data')) as [Buffer];
  expect(Number(line.toString())).toBe(launched.pid);

  launched.kill('SIGTERM');
  expect(await once(launched, 'exit')).toEqual([7, null]);
});

/** A stand-in for Node that prints its version and its arguments. */
function plantNode(folder: string, version: string): void {
  const node = join(folder, 'node');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    node,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; exit; fi\nprintf '%s ' ${version}\nprintf '%s|' "$@"\n`,
  );
  chmodSync(node, 0o755);
}

/** Only the tools a POSIX system has, and the planted Node: not the one that runs this test. */
function run(command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  for (const tool of ['sh', 'dirname', 'readlink'])
    symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(path, tool));

  const { status, stdout, stderr } = spawnSync(command, args, { env: { PATH: path }, encoding: 'utf8' });
  return { status, stdout, stderr };
}
