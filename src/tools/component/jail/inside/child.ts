import { Worker } from 'node:worker_threads';
import { createFrameReader, encodeFrame } from './frames.ts';
import type { Ended, FromWorker, ToWorker, WorkerData } from './worker.ts';

/**
 * The main thread of a jail. It never runs a guest: it hands calls to workers and passes messages on, so it always
 * answers. All it says is checked again outside (`../child-messages.ts`).
 */
export type ToChild =
  | { type: 'file'; path: string }
  | { type: 'load'; entry: string; worker: string; realm: string; memoryBytes: number }
  | { type: 'call'; call: number; exported: string; params: string; logLines: number; logLineBytes: number }
  | { type: 'answer'; call: number; error?: string; status: number; exists: boolean }
  | { type: 'cpu'; call: number }
  | { type: 'stop'; call: number };

export type FromChild =
  | { type: 'loaded' }
  | { type: 'broken'; message: string }
  | { type: 'begun'; call: number }
  | { type: 'http'; call: number; method: string; url: string; headers: string; hasBody: boolean; timeoutMs?: number }
  | { type: 'secret'; call: number; name: string }
  | { type: 'cpu'; call: number; ms: number }
  | { type: 'done'; call: number; ended: Ended; logs: Log[] }
  | { type: 'stopped'; call: number; outOfMemory: boolean; logs: Log[] };

type Program = { url: URL; data: WorkerData };
type Log = { level: string; message: string };
type Call = ToChild & { type: 'call' };
type Guest = { worker: Worker; call: Call | undefined; logs: Log[]; ready: boolean; cpuMs: number };

const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const HEAP_MB = 96;
const MEGABYTE = 1024 * 1024;
/** What a process needs before the first worker. */
const BASE_BYTES = 256 * MEGABYTE;
const LOOK_MS = 100;
/** Tells the outside that this process ended itself for its size. */
const TOO_LARGE_STATUS = 77;

const files = new Map<string, Uint8Array<ArrayBuffer>>();
const guests = new Set<Guest>();
const waiting: Call[] = [];
let program: Program | undefined;
let watch: NodeJS.Timeout | undefined;
let mostGuests = 0;

process.stdin.on(
  'data',
  createFrameReader(MAX_FRAME_BYTES, ({ message, bytes }) => take(message as ToChild, bytes)),
);
process.stdin.on('end', () => process.exit());

function take(message: ToChild, bytes: Uint8Array): void {
  switch (message.type) {
    case 'file':
      files.set(message.path, bytes as Uint8Array<ArrayBuffer>);
      return;
    case 'load':
      void load(message).then(handOut, (error: unknown) => send({ type: 'broken', message: cut(String(error)) }));
      return;
    case 'call':
      waiting.push(message);
      handOut();
      return;
    case 'answer': {
      const { error, status, exists } = message;
      const guest = findGuest(message.call);
      if (guest) tell(guest, { type: 'reply', error, status, exists, body: bytes });
      return;
    }
    case 'cpu':
      void tellCpu(message.call);
      return;
    case 'stop':
      stop(message.call);
  }
}

/** Modules are compiled once and shared: what crosses to a worker is a reference to the machine code. */
async function load({ entry, worker, realm, memoryBytes }: ToChild & { type: 'load' }): Promise<void> {
  const source = files.get(entry);
  if (!source) throw new Error(`The file ${entry} is missing.`);
  const modules: Record<string, WebAssembly.Module> = { __proto__: null as never };
  for (const [path, bytes] of files) {
    if (path !== entry) modules[path] = await WebAssembly.compile(bytes);
  }
  files.clear();
  const url = new URL(`data:text/javascript,${encodeURIComponent(worker)}`);
  const component = new TextDecoder().decode(source);
  program = { url, data: { realm, component, modules, memoryBytes } };
  send({ type: 'loaded' });
}

/** A call waits for the first worker that is free, which may be an old one. */
function handOut(): void {
  if (!program) return;
  for (const guest of guests) {
    if (!guest.ready || guest.call) continue;
    const call = waiting.shift();
    if (!call) return;
    begin(guest, call);
  }
  const starting = [...guests].filter((guest) => !guest.ready).length;
  for (let missing = waiting.length - starting; missing > 0; missing--) startGuest(program);
}

function begin(guest: Guest, call: Call): void {
  guest.call = call;
  watch ??= setInterval(endIfTooLarge, LOOK_MS);
  guest.logs = [];
  tell(guest, call);
  send({ type: 'begun', call: call.call });
}

function startGuest({ url, data }: Program): void {
  // No `execArgv`: a worker that has its own also has no `--permission`.
  const worker = new Worker(url, {
    workerData: data,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16, stackSizeMb: 1 },
  });
  const guest: Guest = { worker, call: undefined, logs: [], ready: false, cpuMs: 0 };
  let outOfMemory = false;
  guests.add(guest);
  worker.on('message', (message: FromWorker) => receive(guest, message));
  worker.on('error', (error: unknown) => {
    outOfMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!guest.ready) fail(String(error));
  });
  worker.on('exit', () => {
    guests.delete(guest);
    if (guest.call) send({ type: 'stopped', call: guest.call.call, outOfMemory, logs: guest.logs });
    handOut();
  });
}

/** A worker that fails to start would be restarted endlessly. */
function fail(message: string): void {
  for (const { call } of waiting.splice(0))
    send({ type: 'done', call, ended: { kind: 'contract', message: cut(message) }, logs: [] });
}

function receive(guest: Guest, message: FromWorker): void {
  if (message.type === 'ready') {
    guest.ready = true;
    guest.cpuMs = message.cpuMs;
    return handOut();
  }
  const call = guest.call?.call;
  if (call === undefined) return;
  switch (message.type) {
    case 'log':
      guest.logs.push({ level: message.level, message: message.message });
      return;
    case 'secret':
      return send({ type: 'secret', call, name: message.name });
    case 'http': {
      const { method, url, headers, body, timeoutMs } = message.request;
      const rest = timeoutMs === undefined ? {} : { timeoutMs };
      return send({ type: 'http', call, method, url, headers, hasBody: body !== undefined, ...rest }, body);
    }
    case 'done':
      guest.call = undefined;
      guest.cpuMs = message.cpuMs;
      if (message.dropped > 0)
        guest.logs.push({ level: 'warn', message: `${message.dropped} more lines were dropped.` });
      send({ type: 'done', call, ended: message.ended, logs: guest.logs });
      handOut();
  }
}

async function tellCpu(call: number): Promise<void> {
  const guest = findGuest(call);
  if (!guest) return;
  const { user, system } = await guest.worker.cpuUsage();
  send({ type: 'cpu', call, ms: (user + system) / 1000 - guest.cpuMs });
}

function stop(call: number): void {
  const queued = waiting.findIndex((waiter) => waiter.call === call);
  if (queued >= 0) {
    waiting.splice(queued, 1);
    send({ type: 'stopped', call, outOfMemory: false, logs: [] });
  } else void findGuest(call)?.worker.terminate();
}

/**
 * Limits are per memory and per heap. A guest may find more ways to be large, so the sum is watched too: the most there
 * ever was, since only /proc has the present size, and the jail has no /proc.
 */
function endIfTooLarge(): void {
  if ([...guests].every((guest) => !guest.call)) {
    clearInterval(watch);
    watch = undefined;
  }
  const perGuest = (program?.data.memoryBytes ?? 0) + HEAP_MB * MEGABYTE;
  mostGuests = Math.max(mostGuests, guests.size);
  const bytes = process.resourceUsage().maxRSS * 1024;
  if (bytes > BASE_BYTES + mostGuests * perGuest) process.exit(TOO_LARGE_STATUS);
}

function cut(message: string): string {
  return message.slice(0, 300);
}

function findGuest(call: number): Guest | undefined {
  return [...guests].find((guest) => guest.call?.call === call);
}

function tell(guest: Guest, message: ToWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  guest.worker.postMessage(message);
}

function send(message: FromChild, bytes?: Uint8Array): void {
  process.stdout.write(encodeFrame(message, bytes));
}
