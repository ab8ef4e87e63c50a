import type { ChildMessage } from './child-messages.ts';
import type { HostImports, JailLimits, Log } from './jail-call.ts';
import type { Child } from './start-child.ts';

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

/** How long a process may take for what needs no guest: to come up, to tell a thread's CPU time, to stop a thread. */
export type Patience = { readonly startMs: number; readonly answerMs: number };

/** A call in a jail, until it has an outcome. */
export type RunningCall = {
  readonly id: number;
  readonly call: GuestCall;
  readonly jail: CallingJail;
  readonly settle: (outcome: GuestOutcome) => void;
  readonly timers: Map<TimerName, NodeJS.Timeout>;
  /** Why it is being stopped; from then on only its end is waited for. */
  verdict: { kind: FailureKind; message: string } | undefined;
  begun: boolean;
  asking: boolean;
  isOver: boolean;
};

/** The process that a call runs in. `lose` gives it up, with all its calls. */
type CallingJail = {
  readonly child: Pick<Child, 'send'>;
  readonly patience: Patience;
  readonly lose: (reason: string) => void;
};

type TimerName = 'begin' | 'wall' | 'cpu' | 'stop';

/** The messages of a process that are about one call. */
type CallMessage = Exclude<ChildMessage, { type: 'loaded' | 'broken' }>;

const FEW_MS = 20;

/** `settle` is called once, with the outcome. */
export function createCall(id: number, call: GuestCall, jail: CallingJail, settle: RunningCall['settle']): RunningCall {
  return { id, call, jail, settle, timers: new Map(), verdict: undefined, begun: false, asking: false, isOver: false };
}

export function startCall(running: RunningCall): void {
  const { id, call, jail } = running;
  const { exported, params, limits, signal } = call;
  const { logLines, logLineBytes } = limits;
  jail.child.send({ type: 'call', call: id, exported, params, logLines, logLineBytes });
  after(running, 'begin', jail.patience.startMs, () => {
    if (!running.begun) jail.lose('It did not begin a call in time.');
  });
  if (signal.aborted) abortCall(running);
}

export function abortCall(running: RunningCall): void {
  stop(running, 'aborted', 'The call was cancelled.');
}

export function receiveMessage(running: RunningCall, message: CallMessage, bytes: Uint8Array): void {
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
      return endCall(running, { kind, message: text, logs: message.logs });
    }
    case 'done':
      return endCall(running, { ...(running.verdict ?? message.ended), logs: message.logs });
  }
}

export function endCall(running: RunningCall, outcome: GuestOutcome): void {
  running.isOver = true;
  clearTimers(running);
  running.settle(outcome);
}

function begin(running: RunningCall): void {
  const { cpuMs, wallMs } = running.call.limits;
  if (running.begun) return;
  running.begun = true;
  after(running, 'wall', wallMs, () => stop(running, 'wall', `It took longer than ${wallMs / 1000} s.`));
  after(running, 'cpu', cpuMs, () => askForCpuTime(running));
}

/** Time has passed that could have been spent computing. Whether it was, only the thread's CPU time can tell. */
function askForCpuTime(running: RunningCall): void {
  const { id, jail } = running;
  if (running.verdict) return;
  jail.child.send({ type: 'cpu', call: id });
  after(running, 'cpu', jail.patience.answerMs, () => jail.lose('It hangs.'));
}

function judgeCpu(running: RunningCall, ms: number): void {
  const { cpuMs } = running.call.limits;
  if (running.verdict) return;
  if (ms >= cpuMs) return stop(running, 'cpu', `It computed for more than ${cpuMs / 1000} s.`);
  after(running, 'cpu', Math.max(FEW_MS, cpuMs - ms), () => askForCpuTime(running));
}

type Answer = { readonly status?: number; readonly body?: Uint8Array; readonly exists?: boolean };

/** A guest waits for each answer, so a second question at the same time does not come from a guest. */
function ask(running: RunningCall, question: () => Promise<Answer>): void {
  const { id, jail } = running;
  if (running.asking) return jail.lose('It asked two things at once.');
  running.asking = true;
  const reply = (answer: Answer, error?: string): void => {
    running.asking = false;
    if (running.isOver) return;
    const { status = 0, exists = false, body } = answer;
    const failed = error === undefined ? {} : { error };
    jail.child.send({ type: 'answer', call: id, status, exists, ...failed }, body);
  };
  question().then(reply, (error: unknown) => reply({}, error instanceof Error ? error.message : String(error)));
}

function stop(running: RunningCall, kind: FailureKind, message: string): void {
  const { id, jail } = running;
  if (running.verdict) return;
  running.verdict = { kind, message };
  clearTimers(running);
  jail.child.send({ type: 'stop', call: id });
  after(running, 'stop', jail.patience.answerMs, () => jail.lose('It would not stop.'));
}

function deathOf(outOfMemory: boolean): { kind: FailureKind; message: string } {
  if (outOfMemory) return { kind: 'memory', message: 'It needed more memory than it may have.' };
  return { kind: 'crashed', message: 'Its thread ended.' };
}

/** A later timer of the same name takes the place of the earlier one. */
function after(running: RunningCall, name: TimerName, ms: number, act: () => void): void {
  clearTimeout(running.timers.get(name));
  running.timers.set(name, setTimeout(act, ms));
}

function clearTimers(running: RunningCall): void {
  for (const timer of running.timers.values()) clearTimeout(timer);
  running.timers.clear();
}
