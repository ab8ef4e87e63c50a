import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { packageFile } from '#program-files.ts';
import type { RunnerProcess } from '../conversation.ts';
import { type Limits, NoSandbox } from '../sandbox.ts';
import { buildFilter, isKnownArchitecture } from '../seccomp.ts';
import { bubblewrapArguments, runnerLimits } from './arguments.ts';

const FILTER_DESCRIPTOR = 3;
const MAX_LAST_WORDS = 2000;
/** `--disable-userns` and `--size` came with it. */
const OLDEST = [0, 8] as const;
const NOBODY = 65_534;

/** The version of the program. Throws NoSandbox if there is none, or one that is too old. */
export async function findBubblewrap(program: string): Promise<string> {
  if (process.platform !== 'linux' || !isKnownArchitecture(process.arch))
    throw new NoSandbox(
      `bubblewrap needs Linux on x64 or arm64, and this is ${process.platform} on ${process.arch}. Code can run in containers (SANDBOX_RUNNERS).`,
    );
  const { stdout } = await promisify(execFile)(program, ['--version'], { env: {}, timeout: 10_000 }).catch(
    (error: unknown) => {
      throw new NoSandbox(`bubblewrap can't be started. Install it, for example with "apt install bubblewrap".`, {
        cause: error,
      });
    },
  );
  const [, version = '', major = 0, minor = 0] = /((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
    throw new NoSandbox(`bubblewrap ${version} is too old; ${OLDEST.join('.')} is the oldest that can be used.`);
  return `bubblewrap ${version}`;
}

/**
 * Root becomes nobody first: the kernel does not limit the number of root's processes, and an escape would be one to root. The
 * runner's text is an argument, so it is in no folder that a guest could see or write.
 */
export function startBubblewrap(program: string, limits: Limits): RunnerProcess {
  const command = ['python3', '-IBS', '-c', inside('runner.py'), runnerLimits(limits), inside('interpreter.py')];
  const child = spawn(program, bubblewrapArguments(limits, FILTER_DESCRIPTOR, command), {
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true, // its own process group
  });
  // In its first moment, bubblewrap's child does not yet die with it, but is in its group.
  const kill = (): void => killGroup(child.pid);
  child.on('exit', kill);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let lastWords = '';
  // Whatever breaks these pipes ends the process as well, and `close` tells.
  for (const stream of child.stdio) stream?.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-MAX_LAST_WORDS);
  });
  child.on('error', (error) => resolve(error.message));
  // The runner holds its ends of the pipes, so it is gone as well.
  child.on('close', (code, signal) => resolve(`${lastLine(lastWords)} (${signal ?? code})`.trim()));
  (child.stdio[FILTER_DESCRIPTOR] as Writable).end(filter());
  return { input: child.stdin, output: child.stdout, ended, kill };
}

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // no one is left
  }
}

const texts = new Map<string, string>();

export function inside(file: 'runner.py' | 'interpreter.py' | 'probe.py' | 'serve.py'): string {
  const text = texts.get(file) ?? readFileSync(packageFile(`src/sandbox/inside/${file}`), 'utf8');
  texts.set(file, text);
  return text;
}

let built: Buffer | undefined;

function filter(): Buffer {
  if (!isKnownArchitecture(process.arch)) throw new NoSandbox(`There is no filter for ${process.arch}.`);
  built ??= buildFilter(process.arch);
  return built;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
