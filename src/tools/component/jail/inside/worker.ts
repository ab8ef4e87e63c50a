import { randomFillSync } from 'node:crypto';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { Bridge, EndKind } from './bridge.ts';
import { giveUpPowers } from './give-up-powers.ts';
import type { createRealm, Instantiate } from './realm.ts';

/**
 * One thread, which runs one call at a time, each in a new context. Like all files in this folder it is run from its
 * text (see `read-inside.ts`), since the jail has no files.
 */
export type WorkerData = {
  readonly realm: string;
  readonly component: string;
  readonly modules: Record<string, WebAssembly.Module>;
  readonly memoryBytes: number;
};

export type ToWorker =
  | { type: 'call'; exported: string; params: string; logLines: number; logLineBytes: number }
  | { type: 'reply'; error: string | undefined; status: number; body: Uint8Array; exists: boolean };

export type FromWorker =
  | { type: 'ready'; cpuMs: number }
  | { type: 'log'; level: string; message: string }
  | { type: 'http'; request: GuestRequest }
  | { type: 'secret'; name: string }
  | { type: 'done'; ended: Ended; dropped: number; cpuMs: number };

export type Ended =
  | { kind: 'output' | 'error'; text: string }
  | { kind: 'trap' | 'memory' | 'contract'; message: string };

type GuestRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
};

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_TEXT_CHARS = 64 * 1024;
const MAX_MESSAGE_CHARS = 300;
const KEPT_BUFFER_BYTES = 256 * 1024;

if (!parentPort) throw new Error('This runs in a worker only.');
const port = parentPort;
const data = workerData as WorkerData;
const modules = Object.assign(Object.create(null) as WorkerData['modules'], data.modules);
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
let buffer = new Uint8Array(KEPT_BUFFER_BYTES);
let reply: (answer: ToWorker & { type: 'reply' }) => void = () => {};

giveUpPowers();
// Node inspects an unhandled rejection, and would run code that the guest has hidden in it.
process.on('unhandledRejection', () => {});
const realmScript = toScript(data.realm, 'createRealm');
const componentScript = toScript(data.component, 'instantiate');
let context = createContext();

port.on('message', (message: ToWorker) => (message.type === 'call' ? run(message) : reply(message)));
post({ type: 'ready', cpuMs: cpuMs() });

function run({ exported, params, logLines, logLineBytes }: ToWorker & { type: 'call' }): void {
  let dropped = 0;
  let left = logLines;
  const log = (level: string, message: string): void => {
    if (left-- > 0) post({ type: 'log', level, message: cut(message, logLineBytes) });
    else dropped++;
  };
  const bridge = createBridge(log, (ended) => {
    post({ type: 'done', ended, dropped, cpuMs: cpuMs() });
    context = createContext(); // ahead of the next call
  });
  try {
    const enter = (realmScript.runInContext(context) as typeof createRealm)(bridge, modules, data.memoryBytes);
    enter(componentScript.runInContext(context) as Instantiate, exported, params);
  } catch {
    bridge.end('contract', 'its code could not be evaluated');
  }
}

/** It lasts as long as a call: nothing that the guest has left behind can speak for the next one. */
function createBridge(log: Bridge['log'], onEnd: (ended: Ended) => void): Bridge {
  const timers = new Set<NodeJS.Timeout>();
  let isOver = false;
  return {
    reserve,
    decode: (length) => {
      try {
        return decoder.decode(buffer.subarray(0, length));
      } catch {
        return undefined;
      }
    },
    encode: (text) => encoder.encodeInto(text, buffer).written,
    random: (length) => void randomFillSync(buffer, 0, length),
    nanoseconds: () => process.hrtime.bigint(),
    later: (milliseconds, act) => {
      if (isOver) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        act();
      }, clampDelay(milliseconds));
      timers.add(timer);
    },
    log: (level, message) => {
      if (!isOver) log(level, message);
    },
    request: (method, url, headers, bodyLength, timeoutMs, answer) => {
      if (isOver) return;
      const body = bodyLength < 0 ? undefined : buffer.slice(0, bodyLength);
      const refused = findExcess(method, url, headers, bodyLength);
      if (refused) return answer(refused, 0, 0);
      reply = (given) => {
        reserve(given.body.length);
        buffer.set(given.body);
        answer(given.error, given.status, given.body.length);
      };
      post({ type: 'http', request: { method, url, headers, body, timeoutMs } });
    },
    secretExists: (name, answer) => {
      if (isOver) return;
      if (name.length > MAX_TEXT_CHARS) return answer(false);
      reply = ({ exists }) => answer(exists);
      post({ type: 'secret', name });
    },
    end: (kind, text) => {
      if (isOver) return;
      isOver = true;
      reply = () => {};
      for (const timer of timers) clearTimeout(timer);
      if (buffer.length > KEPT_BUFFER_BYTES) buffer = new Uint8Array(KEPT_BUFFER_BYTES);
      const ended = judge(kind, text);
      // After the guest's last microtask, so that its computing time is counted.
      setImmediate(() => onEnd(ended));
    },
  };
}

function judge(kind: EndKind, text: string): Ended {
  if (kind !== 'output' && kind !== 'error') return { kind, message: text.slice(0, MAX_MESSAGE_CHARS) };
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) return { kind: 'contract', message: 'its answer is above 1 MiB' };
  return { kind, text };
}

function findExcess(method: string, url: string, headers: string, bodyLength: number): string | undefined {
  if (Math.max(method.length, url.length, headers.length) > MAX_TEXT_CHARS)
    return 'The method, URL or headers are too long: the limit is 64 KiB each.';
  if (bodyLength > MAX_BODY_BYTES) return 'The request body is too large: the limit is 1 MiB.';
  return undefined;
}

/** Above this, Node writes a warning to its own channel. */
function clampDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0) || 0, 0x7fff_ffff);
}

function reserve(length: number): ArrayBuffer {
  if (length > buffer.length) buffer = new Uint8Array(length);
  return buffer.buffer;
}

function createContext(): vm.Context {
  return vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } });
}

/**
 * A module's text as a script, which is compiled once for all contexts and whose value is the one export that is wanted.
 * `import()` would hand the guest a promise of Node's; a keyword that is written with an escape is a syntax error, while
 * texts and names stay what they were.
 */
function toScript(text: string, exported: string): vm.Script {
  const body = text
    .replace(/^export /gm, '')
    .replaceAll('import.meta.url', 'undefined')
    .replaceAll('import', String.raw`imp\u006frt`);
  return new vm.Script(`(() => { 'use strict';\n${body}\nreturn ${exported}; })()`);
}

function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const kept = new Uint8Array(bytes);
  const { read } = encoder.encodeInto(text, kept);
  return text.slice(0, read);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
