import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { installPackage } from '../package/installed.ts';
import { findFreePort } from '../support/free-port.ts';
import { clientOf, TOKEN, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const dockerfile = readFileSync('deploy/docker/Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, '');
const listOf = (instruction: RegExp): string[] => JSON.parse(instruction.exec(dockerfile)?.[1] ?? '[]') as string[];

/** As in the image: an ordinary user who can write only to the volume and /tmp. */
const CONTAINED = `mount --bind "$DATA" "$DATA" && mount -o remount,ro,bind / && ! touch /written 2>/dev/null || exit 9
  exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all "$@"`;

let installation: Awaited<ReturnType<typeof installPackage>>;
let data: string;

beforeAll(async () => {
  installation = await installPackage();
  data = await mkdtemp(path.join(tmpdir(), 'reborn-image-'));
  await chmod(data, 0o777);
});

afterAll(async () => {
  await installation.remove();
  await rm(data, { recursive: true, force: true });
});

test.runIf(canContain())(
  "the image's entrypoint runs on a read-only root as an ordinary user, is healthy, and stops when asked",
  async () => {
    const port = await findFreePort();
    const child = contain([...listOf(/^ENTRYPOINT (.*)$/m), ...listOf(/^CMD (.*)$/m)], port);
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout?.on('data', (text) => (output += String(text)));
    child.stderr?.on('data', (text) => (output += String(text)));
    const exited = once(child, 'exit');
    const [node = '', ...healthcheck] = listOf(/^HEALTHCHECK .*CMD (.*)$/m);
    const inContainer = { env: { ...NODE_ON_PATH.env, GATEWAY_PORT: String(port) } };
    const isHealthy = () => spawnSync(node, healthcheck, inContainer).status === 0;

    expect(isHealthy()).toBe(false);
    await waitFor(
      'the container to be healthy',
      async () => {
        if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}:\n${output}`);
        return isHealthy();
      },
      90_000,
    );
    const answer = await clientOf(`http://127.0.0.1:${port}`).ask('hello');
    child.kill(/^STOPSIGNAL (\w+)$/m.exec(dockerfile)?.[1] as NodeJS.Signals);

    expect(textOf(answer)).toContain('hello');
    expect(await exited).toEqual([0, null]);
    expect(await readdir(data)).toContain('postgres-18');
  },
);

test('the image is for an ordinary user', () => {
  expect(dockerfile).toMatch(/^USER node$/m);
});

const NODE_ON_PATH = { env: { PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` } };

function contain([command, ...words]: string[], port: number): ChildProcess {
  expect(command).toBe('reborn');
  const settings = Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
  const program = [process.execPath, path.join(installation.installed, 'bin/reborn.js'), ...words];
  return spawn('unshare', ['--mount', 'sh', '-c', CONTAINED, 'sh', ...program], {
    cwd: '/',
    env: {
      ...settings,
      ...NODE_ON_PATH.env,
      DATA: data,
      REBORN_HOME: data,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      SERVICE_REBORN_WEBUI_TOKEN: TOKEN,
    },
  });
}

/** Only root on a real Linux can change what a process sees. */
function canContain(): boolean {
  return spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -o remount,ro,bind /']).status === 0;
}
