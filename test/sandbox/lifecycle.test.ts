import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inside } from '#sandbox/bubblewrap/start.ts';
import { LAYERS, NoSandbox, SandboxLost, type Strength } from '#sandbox/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';
import { asGuest, createSmallSandboxes, isPossible, listed, never, openGuest, SMALL, textFile } from './guest.ts';

const ALL = Object.keys(LAYERS);
const STRANGER = 4321;
const sandboxes = createSmallSandboxes();
let folder: string;

beforeEach(({ skip }) => skip(!isPossible));
beforeAll(async () => {
  if (!isPossible) return;
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-sandboxes-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await sandboxes.close();
  if (isPossible) await rm(folder, { recursive: true });
});

describe('the probe', () => {
  test('finds every layer, and what code can use', async () => {
    const { rung, program, layers, why, environment } = await sandboxes.strength();

    expect({ rung, layers, why }).toEqual({ rung: 'bubblewrap', layers: ALL, why: undefined });
    expect(program).toMatch(/^bubblewrap \d+\.\d+\.\d+$/);
    expect(environment?.python).toMatch(/^3\.\d+\.\d+$/);
    expect(environment?.digest).toMatch(/^[0-9a-f]{64}$/);
    const names = environment?.libraries.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['numpy', 'pandas', 'matplotlib', 'openpyxl', 'docx', 'PIL']));
  });

  test('finds them for an ordinary user, too', async () => {
    const found = await runAlone<{ strength: Strength; output: string }>(`
      const strength = await sandboxes.strength();
      const { output } = await sandbox.run({ kind: 'shell', command: 'echo "$((6 * 7))"', timeoutMs: 5000 }, on);
      console.log(JSON.stringify({ strength, output }));
      await sandboxes.close();`);

    expect(found).toMatchObject({ strength: { rung: 'bubblewrap', layers: ALL }, output: '42\n' });
  });

  test.each([
    ['is not there', undefined, 'apt install bubblewrap'],
    ['is too old', 'echo bubblewrap 0.7.9', 'bubblewrap 0.7.9 is too old; 0.8 is the oldest'],
    [
      'may make no namespaces',
      '[ "$1" = --version ] && echo bubblewrap 0.9.0 || { echo "bwrap: No permissions to create new namespace" >&2; exit 1; }',
      "bubblewrap can't build a sandbox here. The sandbox ended. bwrap: No permissions to create new namespace (1)",
    ],
  ])('says why no code runs if bubblewrap %s', async (_, script, why) => {
    await using weak = createSmallSandboxes({ program: await writeProgram(script) });

    expect(await weak.strength()).toEqual({ rung: 'none', layers: [], why: expect.stringContaining(why) });
    await expect(openGuest(weak)).rejects.toThrow(NoSandbox);
  });

  test('is made once more if something kills its sandbox, and so is each later start', async () => {
    const died = path.join(tmpdir(), `reborn-died-${process.pid}`);
    const dies = `[ "$1" != --version ] && mkdir ${died} 2>/dev/null && kill -9 $$; exec bwrap "$@"`;
    await using unlucky = createSmallSandboxes({ program: await writeProgram(dies) });
    expect(await unlucky.strength()).toMatchObject({ rung: 'bubblewrap', layers: ALL });
    await rm(died, { recursive: true });
    expect(await (await openGuest(unlucky)).shell('echo here')).toMatchObject({ output: 'here\n' });
    await rm(died, { recursive: true });
  });

  test.each([
    ['network', 'shared_net'],
    ['calls', 'no_filter'],
  ] as const)('refuses to run code without a layer that is required: %s', async (layer, weakness) => {
    const program = await writeProgram(WEAKENED[weakness]);
    await using weak = createSmallSandboxes({ program, requires: [layer] });
    const { layers, why } = await weak.strength();

    expect(layers).not.toContain(layer);
    expect(why).toBe(`The sandbox lacks what is required: ${layer} (${LAYERS[layer]}).`);
    await expect(openGuest(weak)).rejects.toThrow(why);
  });

  test.each([1, 2])('starts again after its sandbox number %i was killed', async (number) => {
    const count = path.join(folder, `starts-${number}`);
    await writeFile(count, '');
    await chmod(count, 0o666); // as root, bubblewrap runs as another user
    const dies = `[ "$1" = --version ] || { echo x >> ${count}; mapfile -t starts < ${count}; [ \${#starts[@]} != ${number} ] || kill -9 $$; }; exec /usr/bin/bwrap "$@"`;
    await using unlucky = createSmallSandboxes({ program: await writeProgram(dies) });

    expect(await unlucky.strength()).toMatchObject({ rung: 'bubblewrap', layers: ALL, environment: {} });
    expect((await unlucky.strength()).why).toBeUndefined();
    expect((await readFile(count, 'utf8')).split('\n')).toHaveLength(4);
  });
});

/** bubblewrap without one of its arguments, as another version or a wrapper could behave. */
const WEAKENED = {
  shared_net: `for each; do
    if [ "$each" = --unshare-all ]; then args+=(--unshare-pid --unshare-ipc --unshare-uts); else args+=("$each"); fi
  done
  exec bwrap "\${args[@]}"`,
  no_filter: 'exec bwrap "${@/--seccomp/--sync-fd}"',
};

describe('67 a rung that loses a layer while the service runs', () => {
  test.each([
    ['bubblewrap is removed', undefined, [], 'ENOENT'],
    ['the network is shared', WEAKENED.shared_net, ALL.filter((layer) => layer !== 'network'), 'it has lost network'],
    ['the filter is gone', WEAKENED.no_filter, ALL.filter((layer) => layer !== 'calls'), 'it has lost calls'],
  ])('refuses: %s', async (_, script, layers, why) => {
    const program = await writeProgram('exec bwrap "$@"');
    await using weak = createSmallSandboxes({ program });
    const before = await openGuest(weak);
    expect((await weak.strength()).layers).toEqual(ALL);

    if (script === undefined) await rm(program);
    else await writeProgram(script, program);
    await expect(openGuest(weak)).rejects.toThrow(NoSandbox);
    const found = await weak.strength();
    expect(found.why).toContain(why);
    expect(found.layers).toEqual(layers);
    // What was started before still holds.
    expect(await before.shell('true')).toMatchObject({ outcome: 'exit', exitCode: 0 });

    await writeProgram('exec bwrap "$@"', program);
    expect(await (await openGuest(weak)).shell('echo back')).toMatchObject({ output: 'back\n' });
    expect((await weak.strength()).why).toBeUndefined();
  });
});

describe('a sandbox', () => {
  test('is used again for the version that was stored from it, with its interpreter', async () => {
    const key = { workspace: 'again', version: 1 };
    const first = asGuest(await sandboxes.open(key, listed([textFile('a', '1')]), never));
    expect(await first.python('x = 41')).toMatchObject({ fresh: true });
    first.committed(2);

    let wasRead = false;
    const files = (async function* () {
      wasRead = true;
      yield textFile('a', '1');
    })();
    const second = asGuest(await sandboxes.open({ ...key, version: 2 }, files, never));
    expect(await second.python('x + 1')).toMatchObject({ output: '42\n', fresh: false });
    expect(wasRead).toBe(false);
    second.committed(3);

    const other = asGuest(await sandboxes.open({ ...key, version: 9 }, listed([textFile('a', '9')]), never));
    expect(await other.shell('cat a')).toMatchObject({ output: '9' });
    await other.discard();
  });

  test('shows output while the call runs', async () => {
    const guest = await openGuest(sandboxes);
    const seen: string[] = [];
    const on = { progress: (text: string) => void seen.push(text), signal: never };
    const shell = { kind: 'shell', command: 'echo one; sleep 0.3; echo two; sleep 0.3', timeoutMs: 5000 } as const;
    const python = { kind: 'python', code: 'import time\nprint("three")\ntime.sleep(0.3)', timeoutMs: 5000 } as const;

    expect((await guest.run(shell, on)).output).toBe('one\ntwo\n');
    expect((await guest.run(python, on)).output).toBe('three\n');
    expect(seen[0]).toMatch(/^one\n/);
    expect('one\ntwo\nthree\n').toContain(seen.join(''));
    await guest.discard();
  });

  test('measures the time and the CPU time of a call, of shell and Python', async () => {
    const guest = await openGuest(sandboxes);
    const burn = 'import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass';
    for (const ran of [await guest.python(burn), await guest.shell(`python3 -c '${burn}'`), await guest.python(burn)]) {
      expect(ran.cpuMs).toBeGreaterThan(250);
      expect(ran.cpuMs).toBeLessThan(ran.ms + 100);
    }
    expect((await guest.shell('sleep 0.3')).cpuMs).toBeLessThan(100);
    await guest.discard();
  });

  test.each(['shell', 'python'] as const)('stops a call of %s when it is asked to', async (kind) => {
    const guest = await openGuest(sandboxes);
    const controller = new AbortController();
    const on = { progress: () => controller.abort(), signal: controller.signal };
    const code = 'print("begun", flush=True)\nimport time\ntime.sleep(60)';
    const call = { kind, command: 'echo begun; sleep 60', code, timeoutMs: 60_000 } as Parameters<typeof guest.run>[0];

    expect(await guest.run(call, on)).toMatchObject({ outcome: 'stopped', output: 'begun\n' });
    expect(await guest.shell('exec pgrep -c sleep')).toMatchObject({ output: '0\n' });
    await guest.discard();
  });

  test('says how its interpreter ended, and starts another', async () => {
    const guest = await openGuest(sandboxes);
    expect(await guest.python('import os; os._exit(3)')).toMatchObject({ outcome: 'ended', exitCode: 3, fresh: true });
    expect(await guest.python('import os; os.kill(os.getpid(), 9)')).toMatchObject({ outcome: 'ended', exitCode: 137 });
    expect(await guest.python('import os; os.closerange(3, 99); 1')).toMatchObject({ outcome: 'ended' });
    expect(await guest.python('raise SystemExit(0)')).toMatchObject({ outcome: 'exit', exitCode: 0, output: '' });
    expect(await guest.python('1 / 0')).toMatchObject({ outcome: 'exit', exitCode: 1, fresh: false });
    expect(await guest.python('def f(:')).toMatchObject({
      outcome: 'exit',
      output: expect.stringContaining('SyntaxError'),
    });
    expect(await guest.shell('pkill -9 python3')).toMatchObject({ outcome: 'exit' });
    expect(await guest.python('1')).toMatchObject({ outcome: 'exit', fresh: true, output: '1\n' });
    expect(await guest.python('while True: pass', 300)).toMatchObject({ outcome: 'timeout' });
    expect(await guest.python('import os\nif os.fork() == 0: raise ValueError\nos.wait()[1] >> 8')).toMatchObject({
      outcome: 'exit',
      exitCode: 0,
      output: expect.stringMatching(/ValueError\n1\n$/),
    });
    const hoard = 'kept = []\nwhile True: kept.append(bytearray(b"x" * (1 << 20)))';
    expect(await guest.python(hoard)).toMatchObject({
      outcome: 'exit',
      output: expect.stringContaining('MemoryError'),
    });
    await guest.python('del kept');
    const forks =
      'import os, time\nfor _ in range(9):\n  if os.fork() == 0: b = bytearray(b"x" * (100 << 20)); time.sleep(60)\ntime.sleep(60)';
    expect(await guest.python(forks)).toMatchObject({ outcome: 'memory' });
    expect(await guest.python('x = 1')).toMatchObject({ outcome: 'exit', fresh: true });
    const reset = { kind: 'python', code: '"x" in globals()', timeoutMs: 5000, reset: true } as const;
    expect(await guest.run(reset, { progress: () => {}, signal: never })).toMatchObject({
      fresh: true,
      output: 'False\n',
    });
    await guest.discard();
  });

  test('survives an interpreter that answers before it is done, and forks meanwhile', async () => {
    const guest = await openGuest(sandboxes);
    const forge = `import sys, os
for _ in range(20):
  if os.fork() == 0: os.write(sys.modules["__main__"].answer, b"00")
while True: pass`;
    for (let round = 0; round < 5; round++) {
      expect(await guest.python(forge)).toMatchObject({ outcome: 'exit' });
      expect(await guest.python('6 * 7')).toMatchObject({ outcome: 'exit', output: '42\n', fresh: true });
    }
    await guest.discard();
  });

  test('runs everyday code: a table, a chart, documents', async () => {
    await using roomy = createSmallSandboxes({
      limits: { ...SMALL, processMemoryBytes: 2 ** 30, memoryBytes: 2 ** 31 },
    });
    const guest = await openGuest(roomy, [textFile('data.csv', 'day,sales\n1,10\n2,14\n3,9\n')]);
    const ran = await guest.python(
      `
import pandas, matplotlib.pyplot as plt, docx
table = pandas.read_csv('data.csv')
table.plot(x='day', y='sales'); plt.savefig('chart.png')
table.to_excel('table.xlsx'); document = docx.Document(); document.add_picture('chart.png'); document.save('report.docx')
from multiprocessing import Pool
with Pool(2) as pool: print(pool.map(abs, [-1, -2]))
table.sales.sum()`,
      120_000,
    );

    expect(ran).toMatchObject({ outcome: 'exit', output: '[1, 2]\n33\n' });
    const { files } = await guest.changes();
    expect(files.map((file) => file.path).toSorted()).toEqual(['chart.png', 'report.docx', 'table.xlsx']);
  });
});

describe('nothing is left', () => {
  test('after a discard during a call', async () => {
    const guest = await openGuest(sandboxes);
    const call = guest.shell('sleep 1000').catch((error: unknown) => error);
    await guest.discard();

    expect(await call).toBeInstanceOf(SandboxLost);
    await expect(guest.changes()).rejects.toThrow(SandboxLost);
  });

  test('after the sandboxes have closed', async () => {
    const marked = createSmallSandboxes({ limits: { ...SMALL, pathBytes: 1019 } });
    const [warm, inUse] = [await openGuest(marked), await openGuest(marked)];
    await inUse.python('1');
    warm.committed(2);
    expect(await processesWith('"pathBytes":1019')).not.toEqual([]);

    await marked.close();
    expect(await processesWith('"pathBytes":1019')).toEqual([]);
    await expect(openGuest(marked)).rejects.toThrow('closed');
  });

  test('after bubblewrap was killed, and the call is lost', async () => {
    await using marked = createSmallSandboxes({ limits: { ...SMALL, pathBytes: 1018 } });
    const guest = await openGuest(marked);
    const call = guest.shell('(setsid sleep 1018.5 &); sleep 1018.5').catch((error: unknown) => error);
    await waitFor('the call to start', async () => (await processesWith('1018.5')).length > 0);
    for (const pid of await processesWith('"pathBytes":1018')) process.kill(pid, 'SIGKILL');

    expect(await call).toBeInstanceOf(SandboxLost);
    await waitFor('its processes to end', async () => (await processesWith('1018.5')).length === 0);
  });

  test('after the service was killed with a detached grandchild in a sandbox', async () => {
    const { child, stop } = await startAlone(`
      void sandbox.run({ kind: 'shell', command: '(setsid setsid sleep 1017.5 &); sleep 1017.5', timeoutMs: 60000 }, on);`);
    await waitFor('the grandchild', async () => (await processesWith('1017.5')).length > 0);
    child.kill('SIGKILL');

    await waitFor('everybody to end', async () => (await processesWith('1017.5')).length === 0);
    expect(await stop()).toEqual([null, 'SIGKILL']);
  });

  test('after bubblewrap was killed before its child dies with it', async () => {
    const dies = '[ "$1" = --version ] && echo bubblewrap 0.9.0 || { sleep 1016.5 & kill -9 $$; }';
    await using unlucky = createSmallSandboxes({ program: await writeProgram(dies) });

    expect(await unlucky.strength()).toMatchObject({ rung: 'none' });
    await waitFor('the child to end', async () => (await processesWith('1016.5')).length === 0);
  });

  test('by a service that was killed together with bubblewrap, as soon as the next one starts', async () => {
    const command = ['python3', '-IBS', '-c', inside('runner.py'), 'the-orphan-1015'];
    // Blocked in the moment when bubblewrap's child does not yet die with it.
    const blocked = [
      '--unshare-user',
      '--unshare-pid',
      '--userns-block-fd',
      '3',
      '--info-fd',
      '4',
      '--ro-bind',
      '/',
      '/',
    ];
    const parent = spawn('bwrap', [...blocked, ...command], {
      stdio: Array.from({ length: 5 }, () => 'pipe' as const),
    });
    await waitFor('the child', async () => (await processesWith('the-orphan-1015')).length === 2);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(await processesWith('the-orphan-1015')).toHaveLength(1);

    await using next = createSmallSandboxes();
    await next.strength();
    await waitFor('it to end', async () => (await processesWith('the-orphan-1015')).length === 0);
  });
});

/** A program that is a script in bash, or that is missing. */
async function writeProgram(script: string | undefined, file?: string): Promise<string> {
  const program = file ?? path.join(await mkdtemp(path.join(folder, 'program-')), 'bwrap');
  await chmod(path.dirname(program), 0o755);
  if (script !== undefined) await writeFile(program, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  return program;
}

/** Its own service that has opened a sandbox, as another user if this one is root. Other users can't always read the checkout. */
async function writeAlone(code: string): Promise<{ file: string; user: object }> {
  const home = await mkdtemp(path.join(folder, 'alone-'));
  await chmod(home, 0o755);
  await cp('src/sandbox', path.join(home, 'src/sandbox'), { recursive: true });
  await cp('src/program-files.ts', path.join(home, 'src/program-files.ts'));
  await writeFile(path.join(home, 'package.json'), JSON.stringify({ type: 'module', imports: { '#*': './src/*' } }));
  await symlink(process.execPath, path.join(home, 'node'));
  const file = path.join(home, 'alone.ts');
  await writeFile(
    file,
    `import { createSandboxes } from '#sandbox/sandboxes.ts';
    const sandboxes = createSandboxes();
    const { signal } = new AbortController();
    const on = { progress: () => {}, signal };
    const sandbox = await sandboxes.open({ workspace: 'w', version: 1 }, (async function* () {})(), signal);
    ${code}`,
  );
  return { file, user: process.getuid?.() === 0 ? { uid: STRANGER, gid: STRANGER } : {} };
}

async function runAlone<T>(code: string): Promise<T> {
  const { file, user } = await writeAlone(code);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { ...user, cwd: path.dirname(file), env: {} });
  return JSON.parse(stdout) as T;
}

async function startAlone(code: string) {
  const { file, user } = await writeAlone(code);
  const child = spawn(process.execPath, [file], { ...user, cwd: path.dirname(file), env: {}, stdio: 'inherit' });
  const ended = once(child, 'exit');
  return { child, stop: () => ended };
}

async function processesWith(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => [Number(pid), await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  );
  return lines.filter(([, line]) => line.includes(text)).map(([pid]) => pid);
}
