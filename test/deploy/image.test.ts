import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pinImages } from '../../scripts/pin-images.ts';
import { ROOT } from '../support/cached-folder.ts';
import { findFreePort } from '../support/free-port.ts';
import { freshHome, type Home } from '../support/fresh-home.ts';
import { clientOf, TOKEN, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { buildImage, canContain, type Engine } from './container-engine.ts';

const dockerfile = readFileSync('deploy/docker/Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, '');
const service = dockerfile.slice(dockerfile.indexOf(' AS service'));
const ALL_LAYERS = 'network,files,processes';

describe.runIf(canContain())('the image of the service, built and started as the deployments do', () => {
  let engine: Engine;
  let home: Home;
  let database: Server;

  beforeAll(async () => {
    [engine, home] = await Promise.all([buildImage(), freshHome({ shared: true })]);
    database = await listenFor(new URL(home.env.DATABASE_URL ?? ''));
  });
  afterAll(async () => {
    database.close();
    await Promise.all([engine.remove(), home.remove()]);
  });

  const settings = (more: Record<string, string>) =>
    Object.entries({
      DATABASE_URL: addressOf(database, home),
      TOOL_JAIL_REQUIRES: ALL_LAYERS,
      SANDBOX: 'off',
      ...more,
    }).map(([name, value]) => `--env=${name}=${value}`);

  test('answers on a read-only root as an ordinary user, is healthy, and stops when asked', async () => {
    const port = await findFreePort();
    const more = { GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: String(port), SERVICE_REBORN_WEBUI_TOKEN: TOKEN };
    const child = engine.start(['--init', ...settings({ ...more, SECRETS_KEY: 'a'.repeat(64) })], []);
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)));
    const exited = once(child, 'exit');
    const [, ...healthcheck] = JSON.parse(/^HEALTHCHECK .*CMD (.*)$/m.exec(service)?.[1] ?? '[]') as string[];
    const isHealthy = () =>
      promisify(execFile)(process.execPath, healthcheck, { env: { ...process.env, GATEWAY_PORT: String(port) } }).then(
        () => true,
        () => false,
      );

    await waitFor(
      'the container to be healthy',
      async () => {
        if (child.exitCode !== null) throw new Error(`It exited with ${child.exitCode}:\n${output}`);
        return isHealthy();
      },
      90_000,
    );
    const answer = await clientOf(`http://127.0.0.1:${port}`).ask('hello');
    child.kill(/^STOPSIGNAL (\w+)$/m.exec(service)?.[1] as NodeJS.Signals);

    expect(textOf(answer)).toContain('hello');
    expect(await exited).toEqual([0, null]);
    expect(await isHealthy()).toBe(false);
  });

  test('has the whole wall around its tools, no PostgreSQL and no right to write', async () => {
    const found = await engine.run(settings({}), ['doctor', '--offline', '--json']);
    const wall = (JSON.parse(found) as { check: string; message: string }[]).find(({ check }) => check === 'tool jail');
    const look = 'touch /x /usr/x 2>/dev/null; id -u; cat /proc/self/status; ls /usr/local/lib/reborn';
    const seen = await engine.run(['--entrypoint=sh'], ['-c', look]);

    expect(wall).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/no network; .* no files .*; .* no other process\.$/),
    });
    expect(seen).toMatch(/^1000\n/);
    expect(seen).toMatch(/^CapEff:\t0+$/m);
    expect(seen).toMatch(/^NoNewPrivs:\t1$/m);
    expect(seen).not.toContain('node_modules');
  });

  test('keeps what the attacks on the wall try from them', async () => {
    const options = [
      `--volume=${ROOT}:/checkout:ro`,
      '--workdir=/checkout',
      '--init',
      '--entrypoint=sh',
      '--env=HOME=/tmp',
    ];
    // Vitest would write its configuration and its report beside them, which no one may.
    const vitest = 'node node_modules/vitest/vitest.mjs run --project=service --configLoader=runner --no-cache';
    const attack = `${vitest} --reporter=json --outputFile=/tmp/report test/attacks/wall.test.ts >/dev/null; cat /tmp/report`;
    const report = JSON.parse(await engine.run(options, ['-c', attack])) as {
      numPassedTests: number;
      numTotalTests: number;
    };

    expect(report.numTotalTests).toBeGreaterThan(6);
    expect(report.numPassedTests).toBe(report.numTotalTests); // none is skipped
  });
});

test('the image is for an ordinary user, and has no variable with a secret', () => {
  expect(service).toMatch(/^USER 1000:1000$/m);
  expect(dockerfile).not.toMatch(/SECRET|TOKEN|PASSWORD|API_KEY/);
});

test('the digests of base images are filled in once, and the names of stages stay', () => {
  const pinned = pinImages(
    'FROM docker.io/a/b:1 AS b\nFROM --platform=$BUILDPLATFORM docker.io/a/c:2\nFROM b\nFROM x.io/d:3@sha256:3\n',
    () => 'sha256:1',
  );

  expect(pinned).toBe(
    'FROM docker.io/a/b:1@sha256:1 AS b\nFROM --platform=$BUILDPLATFORM docker.io/a/c:2@sha256:1\nFROM b\nFROM x.io/d:3@sha256:3\n',
  );
});

test('the filter for containers lets the wall be built, and nothing that needs a capability', () => {
  const { defaultAction, syscalls } = JSON.parse(readFileSync('deploy/docker/seccomp.json', 'utf8')) as {
    defaultAction: string;
    syscalls: { names: string[]; action: string }[];
  };
  const allowed = new Set(syscalls.flatMap(({ names }) => names));

  expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(syscalls.every(({ action }) => action === 'SCMP_ACT_ALLOW')).toBe(true);
  for (const name of ['unshare', 'mount', 'chroot', 'pivot_root']) expect(allowed).toContain(name);
  for (const name of [
    'bpf',
    'setns',
    'init_module',
    'keyctl',
    'perf_event_open',
    'open_by_handle_at',
    'reboot',
    'swapon',
    'io_uring_setup',
    'process_vm_readv',
  ])
    expect(allowed).not.toContain(name);
});

/** The server of the tests listens on a socket in a private folder, which a container does not reach. */
async function listenFor(url: URL): Promise<Server> {
  const socket = path.join(url.searchParams.get('host') ?? '', `.s.PGSQL.${url.port || 5432}`);
  const server = createServer((near) => {
    const far = connect(
      url.searchParams.has('host') ? { path: socket } : { host: url.hostname, port: Number(url.port) },
    );
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on('error', () => to.destroy()).pipe(to);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

function addressOf(server: Server, { env }: Home): string {
  const url = new URL(env.DATABASE_URL ?? '');
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return url.href;
}
