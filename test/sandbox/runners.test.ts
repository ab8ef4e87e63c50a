import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LAYERS, NoneFree, SandboxLost } from '#sandbox/sandbox.ts';
import { DEFAULT_SIZES } from '#sandbox/warm.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Container, canConnect, type Kind, processesIn, startContainer } from './containers.ts';
import { asGuest, createSmallSandboxes, isPossible, listed, never, openGuest, SMALL, textFile } from './guest.ts';

const ALL = Object.keys(LAYERS);
beforeEach(({ skip }) => skip(!isPossible));

async function start(count = 1, kind: Kind = {}): Promise<Container[]> {
  const containers = await Promise.all(Array.from({ length: count }, () => startContainer(kind)));
  onTestFinished(async () => void (await Promise.all(containers.map((each) => each[Symbol.asyncDispose]()))));
  return containers;
}

/** As gVisor lets its guests, and some container engines theirs. */
const withUserNamespaces = (args: string[]) => args.filter((word) => word !== '--disable-userns');

/** One that was looked at a moment ago is not free yet. */
const dial = (container: Container) =>
  waitFor('a connection', async () => {
    const socket = createConnection(container).on('error', () => {});
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    return isOpen && socket;
  });

const isFree = ({ port }: Container) => canConnect(port);

describe('the probe', () => {
  test.each<[string, Kind, string]>([
    ['no network', {}, 'Network is unreachable'],
    ['a network', { network: true }, 'Address family not supported'],
    ['a network that it can leave', { network: true, change: withUserNamespaces }, 'Network is unreachable'],
  ])('finds every layer in a container with %s, and how many are free', async (_, kind, denial) => {
    await using sandboxes = createSmallSandboxes({ runners: await start(2, kind) });
    const guest = await openGuest(sandboxes);
    const found = await sandboxes.strength();

    expect(found).toMatchObject({ rung: 'runners', layers: ALL, runners: { free: 1, of: 2 } });
    expect(found.why).toBeUndefined();
    const connect = "import socket; socket.create_connection(('192.0.2.1', 80), 2)";
    expect(await guest.python(connect)).toMatchObject({ exitCode: 1, output: expect.stringContaining(denial) });
  });

  test.each([
    ['files', (args: string[]) => args.toSpliced(args.lastIndexOf('--remount-ro'), 2)],
    ['limits', (args: string[]) => args.flatMap((word, at) => (args[at - 1] === '--size' ? ['1000000000'] : [word]))],
  ] as const)('refuses to run code without a layer that is required: %s', async (layer, change) => {
    await using sandboxes = createSmallSandboxes({ runners: await start(1, { change }), requires: [layer] });
    const { layers, why } = await sandboxes.strength();

    expect(layers).toEqual(ALL.filter((each) => each !== layer));
    expect(why).toBe(`The sandbox lacks what is required: ${layer} (${LAYERS[layer]}).`);
    await expect(openGuest(sandboxes)).rejects.toThrow(why);
  });

  test('refuses a runner that is weaker than the first one', async () => {
    const [strong, weak] = [
      await start(),
      await start(1, { change: (args) => args.toSpliced(args.lastIndexOf('--remount-ro'), 2) }),
    ];
    const runners = [...strong];
    await using sandboxes = createSmallSandboxes({ runners });
    expect((await sandboxes.strength()).layers).toEqual(ALL);
    runners.splice(0, 1, ...weak);

    await expect(openGuest(sandboxes)).rejects.toThrow('it has lost files');
  });

  test.each([
    ['root', ['--uid', '0'], 'It must not be root.'],
    ['not process 1', ['--die-with-parent'], 'It must be process 1'],
  ])('a container that is %s serves nobody', async (_, words, reason) => {
    const change = (args: string[]) =>
      words[0] === '--uid' ? args.with(args.indexOf('--uid') + 1, '0') : args.filter((word) => word !== '--as-pid-1');
    await expect(start(1, { change, network: true })).rejects.toThrow(reason);
  });
});

describe('a runner', () => {
  test('serves one connection, refuses the second, and keeps its port', async () => {
    const [container] = await start(1, { network: true });
    if (!container) throw new Error('There is none.');
    await using sandboxes = createSmallSandboxes({ runners: [container] });
    const guest = await openGuest(sandboxes);

    expect(await isFree(container)).toBe(false);
    const thief = createServer();
    thief.listen(container.port, '127.0.0.1');
    expect(await once(thief, 'error')).toMatchObject([{ code: 'EADDRINUSE' }]);
    await guest.discard();
    await waitFor('it to be free again', () => isFree(container));
  });

  test.each<[string, Kind, string]>([
    ['runs', {}, 'reached'],
    ['is refused with a reason, where the filter takes the place of a namespace,', { network: true }, 'Not run: '],
  ])('that gets a call with network %s', async (_, kind, expected) => {
    await using sandboxes = createSmallSandboxes({ runners: await start(1, kind) });
    const guest = await openGuest(sandboxes);
    const on = { progress: () => {}, signal: never, accept: () => {} };
    const { output } = await guest.run({ kind: 'shell', command: 'echo reached', timeoutMs: 20_000 }, on);

    expect(output).toContain(expected);
  });

  test('leaves nothing for the next workspace', async () => {
    const [container] = await start();
    if (!container) throw new Error('There is none.');
    await using sandboxes = createSmallSandboxes({ runners: [container] });
    const guest = await openGuest(sandboxes);
    await guest.python('secret = 1');
    const mess = `mkdir -p locked/in; echo mine | tee locked/in/f /tmp/f /dev/shm/f .hidden; chmod 0 locked/in locked
      python3 -c 'import os
for _ in range(3000): os.mkdir("d"); os.chdir("d")'`;
    expect(await guest.shell(mess)).toMatchObject({ exitCode: 0 });
    const call = guest.shell('(setsid sleep 1014.5 &); sleep 1014.5').catch((error: unknown) => error);
    await waitFor('the call to start', async () => processesIn(container).length > 3);
    await guest.discard();
    expect(await call).toBeInstanceOf(SandboxLost);

    const next = await openGuest(sandboxes, [textFile('own', '')]);
    expect(await next.shell('find /workspace /tmp /dev/shm -mindepth 1; pgrep -c sleep')).toMatchObject({
      output: '/workspace/own\n0\n',
    });
    expect(await next.python('secret')).toMatchObject({ fresh: true, exitCode: 1 });
  });

  test('that is killed during a call loses it, and the call runs again on another with the same version', async () => {
    const runners = await start(2);
    await using sandboxes = createSmallSandboxes({ runners });
    await sandboxes.strength();
    const key = { workspace: 'w', version: 7 };
    const files = () => listed([textFile('n', '1')]);
    const first = asGuest(await sandboxes.open(key, files(), never));
    const call = first.shell('echo 2 > n; sleep 1013.5').catch((error: unknown) => error);
    await waitFor('the call to start', async () => runners.some((each) => processesIn(each).length > 2));
    const busy = runners.find((each) => processesIn(each).length > 2);
    await busy?.[Symbol.asyncDispose]();

    expect(await call).toBeInstanceOf(SandboxLost);
    const second = asGuest(await sandboxes.open(key, files(), never));
    expect(await second.shell('cat n; echo 2 > n')).toMatchObject({ output: '1' });
    expect((await second.changes()).files).toMatchObject([{ path: 'n' }]);
  });

  test('that its guest kills or stops is lost, and free again', async () => {
    const [container] = await start();
    if (!container) throw new Error('There is none.');
    await using sandboxes = createSmallSandboxes({ runners: [container] });
    await expect((await openGuest(sandboxes)).shell('kill -9 $PPID; sleep 1012.5')).rejects.toThrow(SandboxLost);
    const guest = await openGuest(sandboxes);
    expect(await guest.shell('kill -9 1; kill -INT 1; kill -TERM 1; echo here')).toMatchObject({ output: 'here\n' });
    const stopped = guest.shell('kill -STOP $PPID; sleep 1012.5').catch((error: unknown) => error);
    await waitFor('the call to start', async () => processesIn(container).length > 2);
    await guest.discard();
    expect(await stopped).toBeInstanceOf(SandboxLost);
    await waitFor('it to be free again', () => isFree(container));
  });

  test('ends with the connection of a service that says nothing, or nonsense', async () => {
    const [container] = await start();
    if (!container) throw new Error('There is none.');
    for (const bytes of [
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from('\0\0\0\x02{}'),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ]) {
      const socket = await dial(container);
      socket.resume().write(bytes);
      await new Promise((resolve) => void socket.once('close', resolve));
    }
    const silent = await dial(container);
    silent.destroy();
    await using sandboxes = createSmallSandboxes({ runners: [container] });
    expect(await (await openGuest(sandboxes)).shell('echo here')).toMatchObject({ output: 'here\n' });
  });
});

describe('a service', () => {
  test('tries the next address if one is absent, or is not a runner', async () => {
    const other = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const absent = [
      { host: '127.0.0.1', port },
      { host: '127.0.0.1', port: 1 },
      { host: 'runners.invalid', port: 7070 },
    ];
    await using sandboxes = createSmallSandboxes({ runners: [...absent, ...(await start())] });

    expect(await sandboxes.strength()).toMatchObject({ rung: 'runners', layers: ALL });
    expect(await (await openGuest(sandboxes)).shell('echo here')).toMatchObject({ output: 'here\n' });
    other.close();
  });

  test('says that none is free after a while, and runs nothing elsewhere', async () => {
    const runners = await start(1);
    await using sandboxes = createSmallSandboxes({ runners, waitMs: 500 });
    await sandboxes.strength();
    const guest = await openGuest(sandboxes);

    await expect(openGuest(sandboxes)).rejects.toThrow(NoneFree);
    expect((await sandboxes.strength()).why).toBeUndefined();
    await using late = createSmallSandboxes({ runners, waitMs: 500 });
    expect(await late.strength()).toEqual({
      rung: 'none',
      layers: [],
      why: expect.stringContaining('all 1 are in use or do not answer'),
    });
    const waiting = openGuest(sandboxes);
    await guest.discard();
    expect(await (await waiting).shell('echo here')).toMatchObject({ output: 'here\n' });
  });

  test('gives up what it only keeps when another workspace needs a runner', async () => {
    await using sandboxes = createSmallSandboxes({ runners: await start(1), sizes: DEFAULT_SIZES });
    const first = await openGuest(sandboxes);
    await first.shell('true');
    first.committed(2);

    expect(await (await openGuest(sandboxes)).shell('echo here')).toMatchObject({ output: 'here\n' });
  });

  test('shares two runners with another service', async () => {
    const runners = await start(2);
    await using one = createSmallSandboxes({ runners });
    await using two = createSmallSandboxes({ runners });
    await Promise.all([one.strength(), two.strength()]);
    const rounds = Array.from({ length: 12 }, async (_, at) => {
      const guest = await openGuest(at % 2 ? one : two, [textFile('n', String(at))]);
      const { output } = await guest.shell('cat n; ls | wc -l');
      await guest.discard();
      return output;
    });

    expect(await Promise.all(rounds)).toEqual(rounds.map((_, at) => `${at}1\n`));
  });

  test('that was ended waits for no runner', async () => {
    const sandboxes = createSmallSandboxes({ runners: [{ host: '127.0.0.1', port: 1 }], limits: SMALL });
    const looking = sandboxes.strength();
    await sandboxes.close();

    expect(await looking).toMatchObject({ rung: 'none', why: 'The service stops.' });
  });
});
