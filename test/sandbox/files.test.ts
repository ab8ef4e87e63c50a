import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Changes } from '#sandbox/sandbox.ts';
import { createSmallSandboxes, type Guest, isPossible, openGuest, SMALL, textFile } from './guest.ts';

const sandboxes = createSmallSandboxes({ sizes: { inUse: 100, warm: 1, idleMs: 60_000 } });
const FILES = [
  textFile('a.txt', 'a'),
  textFile('folder/b.txt', 'b'),
  textFile('run.sh', '#!/bin/sh\necho run', 0o755),
  textFile('node_modules/kept.js', 'kept'),
];
let guest: Guest;

beforeEach(({ skip }) => skip(!isPossible));
beforeAll(async () => {
  if (!isPossible) return;
  guest = await openGuest(sandboxes, FILES);
});
afterAll(() => sandboxes.close());

/** Paths with contents, what is gone, and what was refused and why. */
async function changesAfter(command: string, by = guest) {
  const ran = await by.shell(command);
  expect(ran).toMatchObject({ outcome: 'exit' });
  return short(await by.changes());
}

function short({ files, removed, refused, excess }: Changes) {
  return {
    files: Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()])),
    removed,
    refused: refused.map(({ name, reason }) => `${name}: ${reason}`).toSorted(),
    ...(excess && { excess }),
  };
}

const NOTHING = { files: {}, removed: [], refused: [] };

describe('a guest', () => {
  test('finds the files that it was filled with, and has changed nothing yet', async () => {
    expect((await guest.shell('cat a.txt folder/b.txt node_modules/kept.js; ./run.sh')).output).toBe('abkeptrun\n');
    expect(short(await guest.changes())).toEqual(NOTHING);
  });

  test('adds, changes and removes files, each reported once', async () => {
    expect(await changesAfter('echo 2 > a.txt; mkdir -p x/y; echo new > x/y/new; rm folder/b.txt')).toEqual({
      files: { 'a.txt': '2\n', 'x/y/new': 'new\n' },
      removed: ['folder/b.txt'],
      refused: [],
    });
    expect(await changesAfter('touch a.txt')).toEqual(NOTHING);
  });

  test('removes many files, which are reported in the order of their names', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `many/${String(index).padStart(2, '0')}`);
    await changesAfter(`mkdir many; touch ${names.join(' ')}`);
    expect(await changesAfter('rm -r many')).toEqual({ ...NOTHING, removed: names });
  });

  test('changes the mode of a file', async () => {
    await guest.shell('chmod +x a.txt');
    expect((await guest.changes()).files).toMatchObject([{ path: 'a.txt', mode: 0o755 }]);
  });

  test('changes files from Python', async () => {
    await guest.python('open("made.txt", "w").write("by Python")');
    expect(short(await guest.changes())).toEqual({ ...NOTHING, files: { 'made.txt': 'by Python' } });
  });

  test('leaves caches and installed packages behind', async () => {
    expect(
      await changesAfter(
        'mkdir -p .cache __pycache__ .venv d/node_modules; touch .cache/a __pycache__/a .venv/a d/node_modules/a x.pyc',
      ),
    ).toEqual(NOTHING);
  });

  test('44 leaves links, pipes and sockets in vain', async () => {
    const listen = `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'`;
    expect(await changesAfter(`ln -s /etc/passwd link; ln -s / root; mkfifo pipe; ${listen}`)).toEqual({
      ...NOTHING,
      refused: ['link: link', 'pipe: special', 'root: link', 'socket: special'],
    });
    expect(await changesAfter('rm link root pipe socket')).toEqual(NOTHING);
  });

  test('44 makes a hard link, which is its own file', async () => {
    expect(await changesAfter('ln made.txt twin.txt')).toEqual({ ...NOTHING, files: { 'twin.txt': 'by Python' } });
    expect(await changesAfter('rm twin.txt')).toEqual({ ...NOTHING, removed: ['twin.txt'] });
  });

  test('45 swaps a file and a link while it is read, in vain: it does not run then', async () => {
    const swap = '(while :; do ln -sf /etc/passwd race; rm -f race; echo x > race; done) >/dev/null 2>&1 &';
    const { files, refused } = await changesAfter(`${swap} sleep 0.2`);
    expect(['', 'x\n', undefined]).toContain(files['race']);
    expect(refused.filter((name) => name !== 'race: link')).toEqual([]);
    expect((await guest.shell('pgrep -c bash')).output).toBe('0\n');
    await guest.shell('rm -f race');
    await guest.changes();
  });

  test('45 keeps a thread of the interpreter that writes, in vain: it is stopped between calls', async () => {
    await guest.python(`
import threading
def write():
    n = 0
    while True:
        n += 1
        open('counted', 'w').write(str(n))
threading.Thread(target=write, daemon=True).start()
import os
while not os.path.exists('counted'): pass`);
    const first = await guest.changes();
    expect(Object.keys(short(first).files)).toEqual(['counted']);
    expect(short(await guest.changes())).toEqual(NOTHING);
    await guest.python('import os; os._exit(0)');
    await guest.shell('rm counted');
    await guest.changes();
  });

  test('46 hides a change behind a forged time, in vain', async () => {
    await changesAfter('printf aaaa > forged');
    const forge = `python3 -c '
import os
status = os.stat("forged")
open("forged", "w").write("bbbb")
os.utime("forged", ns=(status.st_atime_ns, status.st_mtime_ns))'`;
    expect(await changesAfter(forge)).toEqual({ ...NOTHING, files: { forged: 'bbbb' } });
  });

  test('47 names what can be no file of a workspace, in vain', async () => {
    const odd = `touch "$(printf 'a\\nb')" "$(printf '\\033[31mred')" "$(printf '\\377\\376')"`;
    expect(await changesAfter(`mkdir odd; cd odd; ${odd}`)).toEqual({
      ...NOTHING,
      refused: ['odd/\\udcff\\udcfe: name', 'odd/\\x1b[31mred: name', 'odd/a\\nb: name'],
    });
    expect(await changesAfter('rm -r odd')).toEqual(NOTHING);
  });

  test('47 nests 3,000 folders, in vain', async () => {
    const nest = `python3 -c '
import os
for _ in range(3000): os.mkdir("d"); os.chdir("d")'`;
    const { refused } = await changesAfter(`mkdir deep; cd deep; ${nest}`);
    await guest.shell('rm -rf deep');
    expect(refused).toEqual([`deep${'/d'.repeat(SMALL.depth)}: depth`]);
  });

  test('47 writes a path that is too long, in vain', async () => {
    const parents = Array(4).fill('l'.repeat(250)).join('/');
    const { refused } = await changesAfter(`mkdir -p ${parents}; touch ${parents}/${'x'.repeat(50)}`);
    await guest.shell('rm -rf l*');
    expect(refused).toEqual([expect.stringMatching(/^l+: path$/)]);
  });

  test('48 takes its own rights to a file and a folder away, in vain', async () => {
    expect(
      await changesAfter('mkdir shut; echo s > shut/s; chmod 000 shut/s shut; echo t > t; chmod 000 t . '),
    ).toEqual({
      ...NOTHING,
      files: { 'shut/s': 's\n', t: 't\n' },
    });
  });
});

describe('nothing is kept of', () => {
  test('more files than allowed', async () => {
    const other = await openGuest(sandboxes);
    expect(await changesAfter(`seq ${SMALL.files + 1} | xargs touch`, other)).toEqual({ ...NOTHING, excess: 'files' });
    await other.discard();
  });

  test('48 more bytes than allowed, even if they are holes', async () => {
    const other = await openGuest(sandboxes);
    expect(await changesAfter('for n in 1 2 3 4 5; do truncate -s 7M f$n; done', other)).toEqual({
      ...NOTHING,
      excess: 'bytes',
    });
    await other.discard();
  });
});

test('a workspace that does not fit is refused with the name of the file', async () => {
  const large = textFile('large', 'x'.repeat(SMALL.fileBytes + 1));
  await expect(openGuest(sandboxes, [large])).rejects.toThrow(
    "The sandbox can't hold the workspace. large: File too large",
  );
});

test('a change within one tick of the clock after the filling is seen', async () => {
  for (let round = 0; round < 5; round++) {
    const other = await openGuest(sandboxes, [textFile('a', '1')]);
    expect(await changesAfter('printf 2 > a', other)).toEqual({ ...NOTHING, files: { a: '2' } });
    await other.discard();
  }
});
