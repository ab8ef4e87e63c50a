import { randomFillSync } from 'node:crypto';
import vm from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpPowers } from './give-up-powers.ts';
import type { Bridge, Ending, GuestRequest, Realm } from './realm.ts';

/**
 * One thread, which runs one call at a time, each in a fresh instance. Like all files in this folder it is run from its
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

const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_TEXT_CHARS = 64 * 1024;

if (!parentPort) throw new Error('This runs in a worker only.');
const port = parentPort;
const data = workerData as WorkerData;
let log: (level: string, message: string) => void = () => {};
let reply: (answer: ToWorker & { type: 'reply' }) => void = () => {};

giveUpPowers();
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } });
const { createRealm } = (await evaluate(data.realm)) as typeof import('./realm.ts');
const component = (await evaluate(data.component)) as Parameters<Realm['run']>[0];
const realm = createRealm(createBridge(), data.modules, data.memoryBytes);

port.on('message', (message: ToWorker) => (message.type === 'call' ? run(message) : reply(message)));
post({ type: 'ready', cpuMs: cpuMs() });

function run({ exported, params, logLines, logLineBytes }: ToWorker & { type: 'call' }): void {
  let dropped = 0;
  let left = logLines;
  log = (level, message) => {
    if (left-- > 0) post({ type: 'log', level, message: cut(message, logLineBytes) });
    else dropped++;
  };
  realm.run(component, exported, params, (ending) => {
    log = () => {};
    reply = () => {};
    post({ type: 'done', ended: judge(ending), dropped, cpuMs: cpuMs() });
  });
}

function judge(ending: Ending): Ended {
  if (ending.kind === 'trapped') {
    const { outOfMemory, message } = ending;
    return { kind: outOfMemory ? 'memory' : 'trap', message };
  }
  const { output, error } = ending;
  const [text, other] = output === undefined || output === null ? [error, output] : [output, error];
  if (typeof text !== 'string' || (other !== undefined && other !== null))
    return { kind: 'contract', message: 'exactly one of output and error must be set' };
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) return { kind: 'contract', message: 'its answer is above 1 MiB' };
  return { kind: text === output ? 'output' : 'error', text };
}

/** Called by the realm. What a guest that broke it might pass is no worse than a message, and those are checked outside. */
function createBridge(): Bridge {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const encoder = new TextEncoder();
  return {
    decode: (bytes) => decoder.decode(bytes),
    encode: (text, into) => encoder.encodeInto(text, into).written,
    later: (milliseconds, execute) => void setTimeout(() => execute(), milliseconds),
    fillRandom: (bytes) => void randomFillSync(bytes),
    nanoseconds: () => process.hrtime.bigint(),
    log: (level, message) => log(level, message),
    request: (request, answer) => {
      const refused = findExcess(request);
      if (refused) return answer(refused, 0, new Uint8Array(0));
      reply = ({ error, status, body }) => answer(error, status, body);
      post({ type: 'http', request });
    },
    secretExists: (name, answer) => {
      if (name.length > MAX_TEXT_CHARS) return answer(false);
      reply = ({ exists }) => answer(exists);
      post({ type: 'secret', name });
    },
  };
}

function findExcess({ method, url, headers, body }: GuestRequest): string | undefined {
  if (Math.max(method.length, url.length, headers.length) > MAX_TEXT_CHARS)
    return 'The method, URL or headers are too long: the limit is 64 KiB each.';
  if (body && body.length > MAX_BODY_BYTES) return 'The request body is too large: the limit is 1 MiB.';
  return undefined;
}

/** Without a linker that finds anything, and without a callback for `import()`, the text can import nothing. */
async function evaluate(text: string): Promise<object> {
  const module = new vm.SourceTextModule(text, { context });
  await module.link((specifier) => {
    throw new Error(`${specifier} can't be imported here.`);
  });
  await module.evaluate();
  return module.namespace;
}

function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const kept = new Uint8Array(bytes);
  const { read } = new TextEncoder().encodeInto(text, kept);
  return text.slice(0, read);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function post(message: FromWorker): void {
  port.postMessage(message);
}
