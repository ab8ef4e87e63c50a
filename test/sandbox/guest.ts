import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  DEFAULT_LIMITS,
  type Limits,
  type Ran,
  type Sandbox,
  type Sandboxes,
  type SandboxFile,
} from '#sandbox/sandbox.ts';
import { createSandboxes, type SandboxOptions } from '#sandbox/sandboxes.ts';

const MIB = 2 ** 20;
/** Smaller than usual, so that an attack reaches them sooner. */
export const SMALL: Limits = {
  ...DEFAULT_LIMITS,
  memoryBytes: 512 * MIB,
  processMemoryBytes: 256 * MIB,
  workspaceBytes: 32 * MIB,
  tmpBytes: 16 * MIB,
  fileBytes: 8 * MIB,
  outputBytes: 32 * 1024,
  files: 2000,
};

/** Whether bubblewrap can make namespaces here. Not asked of our own probe, which a mistake could make fail everywhere. */
export const isPossible =
  process.env['CI'] !== undefined || spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

export const never = new AbortController().signal;
let opened = 0;

/** What a guest can do, with short words. */
export type Guest = Sandbox & {
  shell(command: string, timeoutMs?: number): Promise<Ran>;
  python(code: string, timeoutMs?: number): Promise<Ran>;
};

export function createSmallSandboxes(more: Partial<SandboxOptions> = {}): Sandboxes & AsyncDisposable {
  const sandboxes = createSandboxes({ limits: SMALL, ...more });
  return { ...sandboxes, [Symbol.asyncDispose]: () => sandboxes.close() };
}

export async function openGuest(sandboxes: Sandboxes, files: readonly SandboxFile[] = []): Promise<Guest> {
  return asGuest(await sandboxes.open({ workspace: `guest-${++opened}`, version: 1 }, listed(files), never));
}

export function asGuest(sandbox: Sandbox): Guest {
  const on = { progress: () => {}, signal: never };
  return {
    ...sandbox,
    shell: (command, timeoutMs = 20_000) => sandbox.run({ kind: 'shell', command, timeoutMs }, on),
    python: (code, timeoutMs = 20_000) => sandbox.run({ kind: 'python', code, timeoutMs }, on),
  };
}

export function textFile(path: string, text: string, mode = 0o644): SandboxFile {
  const bytes = Buffer.from(text);
  return { path, mode, bytes, sha256: hash('sha256', bytes) };
}

export async function* listed<T>(things: readonly T[]): AsyncGenerator<T> {
  yield* things;
}
