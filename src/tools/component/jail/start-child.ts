import { type ChildProcess, spawn } from 'node:child_process';
import { type ChildMessage, MAX_CHILD_FRAME_BYTES, parseChildMessage } from './child-messages.ts';
import type { ToChild } from './inside/child.ts';
import { createFrameReader, encodeFrame } from './inside/frames.ts';
import { readInside } from './read-inside.ts';
import type { Wall } from './wall.ts';

/** A jailed process, and how it ends: `onEnd` is called once, with the reason. */
export type Child = {
  readonly pid: number | undefined;
  send(message: ToChild, bytes?: Uint8Array): void;
  kill(): void;
};
export type Loss = { readonly kind: 'crashed' | 'memory'; readonly message: string };
export type ChildEvents = { onMessage(message: ChildMessage, bytes: Uint8Array): void; onEnd(loss: Loss): void };

const PAGE_BYTES = 64 * 1024;
const MAX_TABLE_ENTRIES = 100_000;
const MAX_REMEMBERED_STDERR = 2000;
/** Said by `inside/child.ts`, which can't be imported: it would run. */
const TOO_LARGE_STATUS = 77;

/** Without `--allow-fs-read`: with one, a worker thread may read every file (seen with Node 26.10). */
export function jailFlags(memoryBytes: number): string[] {
  return [
    '--permission',
    '--allow-worker',
    '--disallow-code-generation-from-strings',
    '--experimental-vm-modules',
    '--no-warnings',
    '--no-addons',
    '--max-old-space-size=128',
    `--wasm-max-mem-pages=${Math.ceil(memoryBytes / PAGE_BYTES)}`,
    `--wasm-max-table-size=${MAX_TABLE_ENTRIES}`,
  ];
}

export function startChild(memoryBytes: number, wall: Wall, events: ChildEvents): Child {
  const flags = [...jailFlags(memoryBytes), '--input-type=module', '--eval', readInside().child];
  const { file, args, ...user } = wall.enclose(process.execPath, flags);
  const child = spawn(file, args, { ...user, env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
  let ended = false;
  let lastWords = '';

  const end = (message: string, kind: Loss['kind'] = 'crashed'): void => {
    if (ended) return;
    ended = true;
    child.kill('SIGKILL');
    events.onEnd({ kind, message });
  };
  const read = createFrameReader(MAX_CHILD_FRAME_BYTES, ({ message, bytes }) => {
    if (!ended) events.onMessage(parseChildMessage(message), bytes);
  });
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      if (!ended) read(chunk);
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
    }
  });
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(0, MAX_REMEMBERED_STDERR);
  });
  child.stdin.on('error', () => {}); // the process has died, and `close` follows
  child.on('error', (error) => end(`It could not be started: ${error.message}`));
  child.on('close', (code, signal) => {
    if (code === TOO_LARGE_STATUS) end('Its process grew too large.', 'memory');
    else end(`Its process ended with ${signal ?? code}. ${firstLine(lastWords)}`.trim());
  });

  return {
    pid: child.pid,
    send: (message, bytes) => write(child, message, bytes),
    kill: () => end('It was closed.'),
  };
}

function write(child: ChildProcess, message: ToChild, bytes: Uint8Array | undefined): void {
  if (child.stdin?.writable) child.stdin.write(encodeFrame(message, bytes));
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
