import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkWall } from '#cli/doctor/check-wall.ts';
import { DEFAULT_LIMITS } from '#tools/component/jail/jail-call.ts';
import { createJails } from '#tools/component/jail/jails.ts';
import { chooseWall, createNamespaces, findWall, type Wall } from '#tools/component/jail/wall.ts';
import { waitFor } from '../support/wait-for.ts';
import { buildTool, request } from './attack-components.ts';
import { createAttackedJails, install, QUIET_HOST } from './attacked-jails.ts';

/**
 * A hole in V8 would give an attacker all of the process, so these probes run as a jail does, but without --permission and
 * in plain JavaScript. Where the system allows no namespaces, there is nothing to try.
 */
const wall = await findWall();
const isRoot = process.getuid?.() === 0;
const STRANGER = 4321;

const tcp = createServer((socket) => socket.end('hello'));
const local = createServer((socket) => socket.end('hello'));
const udp = createSocket('udp4');
let folder: string;
let secretFile: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-wall-'));
  secretFile = path.join(folder, 'webui-token');
  await chmod(folder, 0o755); // only the wall protects here
  await writeFile(secretFile, 'the token', { mode: 0o644 });
  await Promise.all([
    once(tcp.listen(0, '127.0.0.1'), 'listening'),
    once(local.listen(path.join(folder, 'socket')), 'listening'),
    once(udp.bind(0, '127.0.0.1'), 'listening'),
  ]);
  udp.on('message', (_, { port, address }) => udp.send('hello', port, address));
});

afterAll(async () => {
  for (const open of [tcp, local, udp]) open.close();
  await rm(folder, { recursive: true });
});

/** Each is reachable for an unconfined process. */
const tries = (): Record<string, string> => ({
  'a TCP server': `await heard(net.connect(${(tcp.address() as { port: number }).port}, '127.0.0.1'))`,
  'a local socket': `await heard(net.connect('${path.join(folder, 'socket')}'))`,
  'a UDP server': `const socket = dgram.createSocket('udp4'); socket.send('hi', ${udp.address().port}, '127.0.0.1'); await events.once(socket, 'message', { signal: AbortSignal.timeout(3000) })`,
  "the service's files": `fs.readFileSync('${secretFile}')`,
  'the sources': `fs.readFileSync('${path.resolve('package.json')}')`,
  'the list of users': "fs.readFileSync('/etc/passwd')",
  'a place to write': `fs.writeFileSync('${path.join(folder, 'written')}', '')`,
  'a signal to the service': `process.kill(${process.pid}, 0)`,
  "the service's environment": `fs.readFileSync('/proc/${process.pid}/environ')`,
  'another program': "child_process.execFileSync('/bin/true')",
});

describe.each([
  ['as the service runs here', wall, {}],
  [
    'as another user than root',
    { ...createNamespaces(false), layers: [] },
    isRoot ? { uid: STRANGER, gid: STRANGER } : {},
  ],
])('a process behind the wall, %s,', (_, tried, user) => {
  test.skipIf(wall.shortfall !== undefined)('reaches nothing, even without --permission', async () => {
    expect(await reached(tried, user)).toEqual(Object.fromEntries(Object.keys(tries()).map((name) => [name, false])));
  });
});

test('reaches everything without the wall', async () => {
  const open: Wall = { layers: [], enclose: (file, args) => ({ file, args }) };
  expect(await reached(open)).toEqual(Object.fromEntries(Object.keys(tries()).map((name) => [name, true])));
});

test.skipIf(wall.shortfall !== undefined)(
  'the process of a tool is behind the wall and ends when its guard is killed',
  async () => {
    const others = new Set(await childrenOf(process.pid)); // of files that ran before in this process
    await using jails = withDispose(createAttackedJails());
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    const host = { ...QUIET_HOST, httpRequest: () => (tellAsked(), new Promise<never>(() => {})) };
    const asking = await install('asking', await buildTool({ execute: `${request(0)} unreachable` }));
    const call = jails.run(asking, '{}', { host }).catch((error: unknown) => error);
    await asked;

    const guard = (await childrenOf(process.pid)).find((pid) => !others.has(pid)) ?? 0;
    const [jailed = 0] = await childrenOf(guard);
    for (const kind of ['net', 'mnt', 'pid', 'user', 'ipc'])
      expect([kind, await readlink(`/proc/${jailed}/ns/${kind}`)]).not.toEqual([
        kind,
        await readlink(`/proc/self/ns/${kind}`),
      ]);

    process.kill(guard, 'SIGKILL');
    await call;
    await waitFor('the jailed process to end', async () => (await statOf(jailed)) === '');
  },
);

test('where the system cannot confine processes, tools still run, and the doctor warns', async () => {
  const impossible = { hasOtherUser: true, enclose: () => ({ file: 'no-such-program', args: [] }) };
  const none = await chooseWall([impossible]);
  expect(none).toMatchObject({ layers: [], shortfall: 'spawn no-such-program ENOENT' });
  expect(none.enclose('node', ['x'])).toEqual({ file: 'node', args: ['x'] });
  expect(await checkWall([], async () => none)).toMatchObject([
    { check: 'tool jail', level: 'warning', message: 'Only Node and V8 confine a tool. spawn no-such-program ENOENT' },
  ]);
});

test('where a required layer is missing, no tool is called, and the doctor says so', async () => {
  const networkAlone = async (): Promise<Wall> => ({
    enclose: wall.enclose,
    layers: ['network'],
    shortfall: 'No mounts.',
  });
  const jails = createJails({ requires: ['network', 'files'], wall: networkAlone });
  const component = { name: 'shout', hash: 'h', load: () => Promise.reject(new Error('It is not even loaded.')) };
  const call = { params: '{}', host: QUIET_HOST, limits: DEFAULT_LIMITS, signal: AbortSignal.timeout(60_000) };

  await expect(jails.call(component, call)).rejects.toMatchObject({
    reason: 'unconfined',
    message: expect.stringContaining('layers that it does not have here: files. No mounts.'),
  });
  expect(await checkWall(['files'], networkAlone)).toMatchObject([{ level: 'problem' }]);
  await jails.close();
});

test.skipIf(wall.shortfall !== undefined)('the doctor lists the layers of the wall', async () => {
  const [finding] = await checkWall(['files']);
  expect(finding).toMatchObject({ check: 'tool jail', level: 'ok' });
  expect(finding?.message).toContain('it can reach no network');
});

async function reached(tried: Pick<Wall, 'enclose'>, user = {}): Promise<unknown> {
  const modules = ['fs', 'net', 'dgram', 'events', 'child_process'];
  const source = `
    ${modules.map((name) => `import ${name} from 'node:${name}';`).join('')}
    const heard = (socket) => new Promise((yes, no) => socket.on('data', yes).on('error', no).on('end', no));
    const reached = {};
    ${Object.entries(tries())
      .map(
        ([name, code]) =>
          `try { ${code}; reached[${JSON.stringify(name)}] = true; } catch { reached[${JSON.stringify(name)}] = false; }`,
      )
      .join('\n')}
    console.log(JSON.stringify(reached));
    process.exit();`;
  const { file, args, ...own } = tried.enclose(process.execPath, ['--input-type=module', '--eval', source]);
  const { stdout } = await promisify(execFile)(file, args, { ...own, ...user, env: {}, cwd: '/' });
  return JSON.parse(stdout);
}

function withDispose<T extends { close(): Promise<void> }>(jails: T): T & AsyncDisposable {
  return { ...jails, [Symbol.asyncDispose]: () => jails.close() };
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map(async (pid) => [Number(pid), await statOf(Number(pid))] as const));
  return stats
    .filter(([, stat]) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent))
    .map(([pid]) => pid);
}

const statOf = (pid: number) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
