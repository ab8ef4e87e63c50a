import { once } from 'node:events';
import { collectChanges, traceOf } from './collect-changes.ts';
import { converse, type RunnerProcess, type Take, unexpected } from './conversation.ts';
import type { Facts, RunnerMessage } from './runner-messages.ts';
import type { Call, Changes, Limits, Listener, Ran, SandboxFile } from './sandbox.ts';
import { createStreams, type Streams } from './streams.ts';

/** The program inside, as the service uses it. */
export type Runner = {
  readonly ready: Promise<Facts>;
  /** No process of it is left. */
  readonly ended: Promise<unknown>;
  isAlive(): boolean;
  fill(files: AsyncIterable<SandboxFile>, signal: AbortSignal): Promise<void>;
  run(call: Call, on: Listener): Promise<Ran>;
  changes(): Promise<Changes>;
  /** False: it does not fit. */
  add(file: SandboxFile): Promise<boolean>;
  end(): Promise<void>;
};

/** The runner keeps the limits itself; this is for one that hangs. */
const GRACE_MS = 5000;
const START_MS = 30_000;
const FILES_MS = 120_000;

export function createRunner(process: RunnerProcess, limits: Limits): Runner {
  const known = new Map<string, string>();
  const { ask, tell, lose, lost } = converse(process, limits);

  async function fill(files: AsyncIterable<SandboxFile>, signal: AbortSignal): Promise<void> {
    for await (const file of files) {
      signal.throwIfAborted();
      if (!put(file) && !lost()) await waitForRoom(process, signal);
    }
    const failure = await finishFilling();
    if (failure !== null) throw new Error(`The sandbox can't hold the workspace. ${failure}`);
  }

  function put({ path, mode, bytes, sha256 }: SandboxFile): boolean {
    known.set(path, traceOf(sha256, mode));
    return tell({ type: 'put', path, mode: mode & 0o777 }, bytes);
  }

  async function finishFilling(): Promise<string | null> {
    const take: Take<{ failure: string | null }> = (said) => (said.type === 'filled' ? said : unexpected(said));
    return (await ask(take, FILES_MS, { type: 'filled' })).failure;
  }

  async function run(call: Call, on: Listener): Promise<Ran> {
    const timeoutMs = Math.min(call.timeoutMs, limits.timeoutMs);
    let late: NodeJS.Timeout | undefined;
    const stop = (): void => {
      tell({ type: 'stop' });
      late = setTimeout(() => lose('It did not stop in time.'), GRACE_MS);
    };
    const streams = on.accept && createStreams(tell, on.accept);
    const answer = ask(takeRan(on, streams), timeoutMs + GRACE_MS, ...questionOf(call, timeoutMs, on));
    if (on.signal.aborted) stop();
    on.signal.addEventListener('abort', stop, { once: true });
    return answer.finally(() => {
      clearTimeout(late);
      streams?.end();
      on.signal.removeEventListener('abort', stop);
    });
  }

  return {
    ready: ask((message) => (message.type === 'ready' ? message.facts : unexpected(message)), START_MS),
    ended: process.ended,
    isAlive: () => lost() === undefined,
    fill,
    run,
    changes: () => ask(collectChanges(known, limits), FILES_MS, { type: 'changes' }),
    async add(file) {
      put(file);
      return (await finishFilling()) === null;
    },
    async end() {
      lose('It was discarded.');
      await process.ended;
    },
  };
}

/** A broken pipe is not an error: the process has ended, and the next question says so. */
async function waitForRoom({ input, ended }: RunnerProcess, signal: AbortSignal): Promise<void> {
  await Promise.race([once(input, 'drain', { signal }), ended]).catch(() => signal.throwIfAborted());
}

function questionOf(
  call: Call,
  timeoutMs: number,
  { accept }: Listener,
): [header: Record<string, unknown>, body: Buffer] {
  const asked = { type: 'run', kind: call.kind, timeoutMs, network: accept !== undefined };
  if (call.kind === 'shell') return [asked, Buffer.from(call.command)];
  return [{ ...asked, reset: call.reset ?? false }, Buffer.from(call.code)];
}

function takeRan(on: Listener, streams: Streams | undefined): Take<Ran> {
  const decoder = new TextDecoder();
  return (message) => {
    if (message.type === 'ran') return ranOf(message);
    if (message.type === 'stream' && streams) {
      streams.take(message);
      return undefined;
    }
    if (message.type !== 'progress') return unexpected(message);
    const text = decoder.decode(message.body, { stream: true });
    if (text !== '') on.progress(text);
    return undefined;
  };
}

function ranOf({ outcome, code, total, ms, cpuMs, fresh, body }: RunnerMessage & { type: 'ran' }): Ran {
  const output = new TextDecoder().decode(body);
  return { outcome, exitCode: code, output, outputBytes: total, ms, cpuMs, fresh };
}
