import type { ChildMessage } from './child-messages.ts';
import type { ComponentFiles, HostImports, JailLimits, Log } from './jail-call.ts';
import { readInside } from './read-inside.ts';
import { type Child, type Loss, startChild } from './start-child.ts';
import type { Wall } from './wall.ts';

export type GuestCall = {
  readonly exported: 'execute' | 'schema' | 'description';
  readonly params: string;
  readonly host: HostImports;
  readonly limits: JailLimits;
  readonly signal: AbortSignal;
};

/** How a call ended. `crashed`: the whole process died. */
export type GuestOutcome =
  | { readonly kind: 'output' | 'error'; readonly text: string; readonly logs: readonly Log[] }
  | { readonly kind: FailureKind; readonly message: string; readonly logs: readonly Log[] };
export type FailureKind = 'cpu' | 'wall' | 'memory' | 'crashed' | 'trap' | 'contract' | 'aborted';

/** The process of one tool. */
export type Jail = {
  readonly pid: number | undefined;
  /** undefined when the process has ended already: then the call was not started. */
  run(call: GuestCall): Promise<GuestOutcome> | undefined;
  /** Resolves with the reason, when the process has ended. */
  readonly ended: Promise<string>;
  close(): void;
};

type TimerName = 'begin' | 'wall' | 'cpu' | 'stop';

type Running = {
  readonly id: number;
  readonly call: GuestCall;
  readonly settle: (outcome: GuestOutcome) => void;
  readonly timers: Map<TimerName, NodeJS.Timeout>;
  /** Why it is being stopped; from then on only its end is waited for. */
  verdict: { kind: FailureKind; message: string } | undefined;
  begun: boolean;
  asking: boolean;
};

/** How long a process may take for what needs no guest: to come up, to tell a thread's CPU time, to stop a thread. */
export type Patience = { readonly startMs: number; readonly answerMs: number };

const FEW_MS = 20;
const NO_LOGS: readonly Log[] = [];

export function startJail(files: ComponentFiles, memoryBytes: number, patience: Patience, wall: Wall): Jail {
  const calls = new Map<number, Running>();
  const { promise: ended, resolve: tellEnded } = Promise.withResolvers<string>();
  let lastId = 0;
  let broken: string | undefined;
  let over: string | undefined;

  const child = startChild(memoryBytes, wall, { onMessage: hear, onEnd: ({ kind, message }) => lose(message, kind) });
  const coming = setTimeout(() => lose('It did not come up in time.'), patience.startMs);
  sendFiles(child, files, memoryBytes);

  return { pid: child.pid, ended, run, close: () => lose('It was closed.') };

  function run(call: GuestCall): Promise<GuestOutcome> | undefined {
    if (over !== undefined) return undefined;
    if (broken !== undefined) return Promise.resolve({ kind: 'contract', message: broken, logs: NO_LOGS });

    const { promise, resolve } = Promise.withResolvers<GuestOutcome>();
    const running: Running = {
      id: ++lastId,
      call,
      settle: resolve,
      timers: new Map(),
      verdict: undefined,
      begun: false,
      asking: false,
    };
    const { exported, params, limits, signal } = call;
    const abort = (): void => stop(running, 'aborted', 'The call was cancelled.');
    calls.set(running.id, running);
    signal.addEventListener('abort', abort, { once: true });
    const { logLines, logLineBytes } = limits;
    child.send({ type: 'call', call: running.id, exported, params, logLines, logLineBytes });
    after(running, 'begin', patience.startMs, () => {
      if (!running.begun) lose('It did not begin a call in time.');
    });
    if (signal.aborted) abort();
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  function hear(message: ChildMessage, bytes: Uint8Array): void {
    if (message.type === 'loaded') return clearTimeout(coming);
    if (message.type === 'broken') return breakDown(message.message);

    const running = calls.get(message.call);
    if (!running) {
      // Its last words may cross with our verdict; a call that never was is a lie.
      if (message.call > lastId) lose('It spoke of a call that was never made.');
      return;
    }
    switch (message.type) {
      case 'begun':
        return begin(running);
      case 'cpu':
        return judgeCpu(running, message.ms);
      case 'http': {
        const { method, url, headers, hasBody, timeoutMs } = message;
        const body = hasBody ? { body: bytes } : {};
        const timeout = timeoutMs === undefined ? {} : { timeoutMs };
        return ask(running, async () => running.call.host.httpRequest({ method, url, headers, ...body, ...timeout }));
      }
      case 'secret':
        return ask(running, async () => ({ exists: running.call.host.secretExists(message.name) }));
      case 'stopped': {
        const { kind, message: text } = running.verdict ?? deathOf(message.outOfMemory);
        return finish(running, { kind, message: text, logs: message.logs });
      }
      case 'done':
        return finish(running, { ...(running.verdict ?? message.ended), logs: message.logs });
    }
  }

  function begin(running: Running): void {
    const { cpuMs, wallMs } = running.call.limits;
    if (running.begun) return;
    running.begun = true;
    after(running, 'wall', wallMs, () => stop(running, 'wall', `It took longer than ${wallMs / 1000} s.`));
    after(running, 'cpu', cpuMs, () => nominate(running));
  }

  /** Time has passed that could have been spent computing. Whether it was, only the thread's CPU time can tell. */
  function nominate(running: Running): void {
    if (running.verdict) return;
    child.send({ type: 'cpu', call: running.id });
    after(running, 'cpu', patience.answerMs, () => lose('It hangs.'));
  }

  function judgeCpu(running: Running, ms: number): void {
    const { cpuMs } = running.call.limits;
    if (running.verdict) return;
    if (ms >= cpuMs) return stop(running, 'cpu', `It computed for more than ${cpuMs / 1000} s.`);
    after(running, 'cpu', Math.max(FEW_MS, cpuMs - ms), () => nominate(running));
  }

  /** A guest waits for each answer, so a second question at the same time does not come from a guest. */
  function ask(running: Running, question: () => Promise<Answer>): void {
    if (running.asking) return lose('It asked two things at once.');
    running.asking = true;
    const reply = (answer: Answer, error?: string): void => {
      running.asking = false;
      if (!calls.has(running.id)) return;
      const { status = 0, exists = false, body } = answer;
      const failed = error === undefined ? {} : { error };
      child.send({ type: 'answer', call: running.id, status, exists, ...failed }, body);
    };
    question().then(reply, (error: unknown) => reply({}, error instanceof Error ? error.message : String(error)));
  }

  function stop(running: Running, kind: FailureKind, message: string): void {
    if (running.verdict) return;
    running.verdict = { kind, message };
    clearTimers(running);
    child.send({ type: 'stop', call: running.id });
    after(running, 'stop', patience.answerMs, () => lose('It would not stop.'));
  }

  function finish(running: Running, outcome: GuestOutcome): void {
    calls.delete(running.id);
    clearTimers(running);
    running.settle(outcome);
  }

  function breakDown(message: string): void {
    clearTimeout(coming);
    broken = `It can't be loaded: ${message}`;
    for (const running of calls.values()) finish(running, { kind: 'contract', message: broken, logs: NO_LOGS });
  }

  function lose(reason: string, kind: Loss['kind'] = 'crashed'): void {
    if (over !== undefined) return;
    over = reason;
    clearTimeout(coming);
    child.kill();
    for (const running of calls.values())
      finish(running, { ...(running.verdict ?? { kind, message: reason }), logs: NO_LOGS });
    tellEnded(reason);
  }
}

type Answer = { readonly status?: number; readonly body?: Uint8Array; readonly exists?: boolean };

function sendFiles(child: Child, files: ComponentFiles, memoryBytes: number): void {
  const { worker, realm } = readInside();
  for (const [path, bytes] of Object.entries(files)) child.send({ type: 'file', path }, bytes);
  const entry = Object.keys(files).find((path) => path.endsWith('.js')) ?? '';
  child.send({ type: 'load', entry, worker, realm, memoryBytes });
}

function deathOf(outOfMemory: boolean): { kind: FailureKind; message: string } {
  if (outOfMemory) return { kind: 'memory', message: 'It needed more memory than it may have.' };
  return { kind: 'crashed', message: 'Its thread ended.' };
}

/** A later timer of the same name takes the place of the earlier one. */
function after(running: Running, name: TimerName, ms: number, act: () => void): void {
  clearTimeout(running.timers.get(name));
  running.timers.set(name, setTimeout(act, ms));
}

function clearTimers(running: Running): void {
  for (const timer of running.timers.values()) clearTimeout(timer);
  running.timers.clear();
}
