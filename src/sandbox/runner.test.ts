import { hash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { RunnerProcess } from './conversation.ts';
import { createFrameReader, encodeFrame } from './frames.ts';
import { createRunner } from './runner.ts';
import { DEFAULT_LIMITS, SandboxLost } from './sandbox.ts';

/** A program that speaks the frames, as a guest could that has taken the runner over. */
function createImpostor(answer: (type: unknown) => Buffer[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const kill = vi.fn(() => resolve('killed'));
  const read = createFrameReader(2 ** 20, ({ header }) => {
    for (const bytes of answer(header['type'])) output.write(bytes);
  });
  input.on('data', read);
  const process: RunnerProcess = { input, output, ended, kill };
  output.write(encodeFrame(READY));
  return { runner: createRunner(process, DEFAULT_LIMITS), kill, output };
}

const READY = {
  type: 'ready',
  namespaces: {},
  pid: 1,
  alone: true,
  kernel: '6.1.0',
  devices: [],
  capabilities: '',
  noNewPrivileges: true,
  seccomp: 2,
  readOnly: true,
  writableBytes: 0,
};
const RAN = { type: 'ran', outcome: 'exit', code: 0, total: 0, ms: 1, cpuMs: 1, fresh: false };
const DONE = encodeFrame({ type: 'changed', files: 1, refused: 0 });
const file = (path: string, more: object = {}) =>
  encodeFrame({ type: 'file', path, mode: 0o644, ...more }, Buffer.from('x'));
const on = { progress: () => {}, signal: new AbortController().signal };

describe('a sandbox is discarded, and nothing of its answer is used, when it answers with', () => {
  test.each([
    ['a header of 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['a header that is not JSON', Buffer.from([0, 0, 0, 2, 0x7b, 0x7b])],
    ['a body above the limit', Buffer.from(`\0\0\0\x1e{"type":"file","bytes":${2 ** 27}}`)],
    ['a frame of an unknown type', encodeFrame({ type: 'exec' })],
    ['a frame without a type', encodeFrame({})],
    ['an answer to another question', encodeFrame(RAN)],
    ['a path out of the workspace', file('../x')],
    ['a path out of a folder', file('a/../../x')],
    ['an absolute path', file('/etc/x')],
    ['a path with a null character', file('a\0b')],
    ['a path with a line break', file('a\nb')],
    ['half a character', file('a\ud800')],
    ['an empty path', file('')],
    ['a path with an empty name', file('a//b')],
    ['a path that is too long', file('x'.repeat(5000))],
    ['a path that is too deep', file('d/'.repeat(32) + 'x')],
    ['a path that is a number', file(7 as unknown as string)],
    ['a setuid bit', file('x', { mode: 0o4755 })],
    ['a mode that is a text', file('x', { mode: '644' })],
    ['the removal of a file that was never there', encodeFrame({ type: 'removed', path: 'x' })],
    ['a reason that does not exist', encodeFrame({ type: 'refused', name: 'x', reason: 'because' })],
    ['a file twice', Buffer.concat([file('x'), file('x')])],
  ])('%s', async (_, bytes) => {
    const { runner, kill } = createImpostor((type) => (type === 'changes' ? [bytes, DONE] : []));
    await runner.ready;

    await expect(runner.changes()).rejects.toThrow(SandboxLost);
    expect(kill).toHaveBeenCalled();
    expect(runner.isAlive()).toBe(false);
    await expect(runner.changes()).rejects.toThrow(SandboxLost);
  });
});

describe('a call is lost when its sandbox answers with', () => {
  test.each([
    ['an outcome that does not exist', { ...RAN, outcome: 'root' }],
    ['a negative time', { ...RAN, ms: -1 }],
    ['no exit code', { ...RAN, code: undefined }],
    ['a fraction as its exit code', { ...RAN, code: 0.5 }],
    ['a file', { type: 'file', path: 'x', mode: 0o644 }],
  ])('%s', async (_, header) => {
    const { runner, kill } = createImpostor((type) => (type === 'run' ? [encodeFrame(header)] : []));
    await runner.ready;

    await expect(runner.run({ kind: 'shell', command: 'true', timeoutMs: 1000 }, on)).rejects.toThrow(SandboxLost);
    expect(kill).toHaveBeenCalled();
  });

  test('output above the limit', async () => {
    const { runner } = createImpostor(() => [encodeFrame(RAN, Buffer.alloc(DEFAULT_LIMITS.outputBytes + 200))]);
    await runner.ready;

    await expect(runner.run({ kind: 'shell', command: 'true', timeoutMs: 1000 }, on)).rejects.toThrow('wrong body');
  });
});

test.each([
  ['progress', encodeFrame({ type: 'progress' }, Buffer.from('psst'))],
  ['an answer', DONE],
])('a sandbox that sends %s without being asked is discarded', async (_, bytes) => {
  const { runner, kill, output } = createImpostor(() => []);
  await runner.ready;
  output.write(bytes);

  await vi.waitFor(() => expect(kill).toHaveBeenCalled());
});

test('a sandbox that does not answer is discarded five seconds after its time', async () => {
  vi.useFakeTimers();
  try {
    const { runner, kill } = createImpostor(() => []);
    await runner.ready;
    const call = runner.run({ kind: 'shell', command: 'true', timeoutMs: 1000 }, on).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(5999);
    expect(kill).not.toHaveBeenCalled();

    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toBeInstanceOf(SandboxLost);
  } finally {
    vi.useRealTimers();
  }
});

test('the hash of a file is ours, and not what the sandbox says, and a file as before is no change', async () => {
  const bytes = Buffer.from('x');
  const known = { path: 'old', mode: 0o644, bytes, sha256: hash('sha256', bytes) };
  const answers: Record<string, Buffer[]> = {
    filled: [encodeFrame({ type: 'filled', failure: null })],
    changes: [file('old'), file('new', { sha256: '0'.repeat(64) }), DONE],
  };
  const { runner } = createImpostor((type) => answers[String(type)] ?? []);
  await runner.ready;
  await runner.fill(
    (async function* () {
      yield known;
    })(),
    on.signal,
  );

  expect((await runner.changes()).files).toEqual([{ ...known, path: 'new' }]);
});
