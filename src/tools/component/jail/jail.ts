import type { ChildMessage } from './child-messages.ts';
import type { ComponentFiles, Log } from './jail-call.ts';
import { readInside } from './read-inside.ts';
import {
  abortCall,
  createCall,
  endCall,
  type GuestCall,
  type GuestOutcome,
  type Patience,
  type RunningCall,
  receiveMessage,
  startCall,
} from './running-call.ts';
import { type Child, type Loss, startChild } from './start-child.ts';
import type { Wall } from './wall.ts';

/** The process of one tool. */
export type Jail = {
  readonly pid: number | undefined;
  /** undefined when the process has ended already: then the call was not started. */
  run(call: GuestCall): Promise<GuestOutcome> | undefined;
  /** Resolves with the reason, when the process has ended. */
  readonly ended: Promise<string>;
  close(): void;
};

const NO_LOGS: readonly Log[] = [];

export function startJail(files: ComponentFiles, memoryBytes: number, patience: Patience, wall: Wall): Jail {
  const calls = new Map<number, RunningCall>();
  const { promise: ended, resolve: reportEnd } = Promise.withResolvers<string>();
  let lastId = 0;
  let broken: string | undefined;
  let over: string | undefined;

  const child = startChild(memoryBytes, wall, {
    onMessage: receive,
    onEnd: ({ kind, message }) => lose(message, kind),
  });
  const starting = setTimeout(() => lose('It did not come up in time.'), patience.startMs);
  sendFiles(child, files, memoryBytes);

  return { pid: child.pid, ended, run, close: () => lose('It was closed.') };

  function run(call: GuestCall): Promise<GuestOutcome> | undefined {
    if (over !== undefined) return undefined;
    if (broken !== undefined) return Promise.resolve({ kind: 'contract', message: broken, logs: NO_LOGS });

    const { promise, resolve } = Promise.withResolvers<GuestOutcome>();
    const id = ++lastId;
    const running = createCall(id, call, { child, patience, lose }, (outcome) => {
      calls.delete(id);
      resolve(outcome);
    });
    const abort = (): void => abortCall(running);
    calls.set(id, running);
    call.signal.addEventListener('abort', abort, { once: true });
    startCall(running);
    return promise.finally(() => call.signal.removeEventListener('abort', abort));
  }

  function receive(message: ChildMessage, bytes: Uint8Array): void {
    if (message.type === 'loaded') return clearTimeout(starting);
    if (message.type === 'broken') return breakDown(message.message);

    const running = calls.get(message.call);
    if (running) return receiveMessage(running, message, bytes);
    // Its last words may cross with our verdict; a call that never was is a lie.
    if (message.call > lastId) lose('It spoke of a call that was never made.');
  }

  function breakDown(message: string): void {
    clearTimeout(starting);
    broken = `It can't be loaded: ${message}`;
    for (const running of calls.values()) endCall(running, { kind: 'contract', message: broken, logs: NO_LOGS });
  }

  function lose(reason: string, kind: Loss['kind'] = 'crashed'): void {
    if (over !== undefined) return;
    over = reason;
    clearTimeout(starting);
    child.kill();
    for (const running of calls.values())
      endCall(running, { ...(running.verdict ?? { kind, message: reason }), logs: NO_LOGS });
    reportEnd(reason);
  }
}

function sendFiles(child: Child, files: ComponentFiles, memoryBytes: number): void {
  const { worker, realm } = readInside();
  for (const [path, bytes] of Object.entries(files)) child.send({ type: 'file', path }, bytes);
  const entry = Object.keys(files).find((path) => path.endsWith('.js')) ?? '';
  child.send({ type: 'load', entry, worker, realm, memoryBytes });
}
