import type { Bridge, EndKind } from './bridge.ts';
import { apply, Bytes, createHost, type Host, lengthOf, RealmError, RealmTypeError, setBytes } from './guarded-host.ts';
import { createInertWasi, ErrResult } from './inert-wasi.ts';

/**
 * The guest's whole world. This file is never imported: `read-inside.ts` reads its text and its imports, and a worker
 * evaluates it for each call:
 *
 * 1. The worker creates a context with nothing of Node in it, and evaluates this text there.
 * 2. Everything that is used while the guest runs is taken now, because the guest may replace it.
 * 3. `createRealm` wraps the bridge to the worker, removes what leads back to Node, and defines the globals that a component
 *    expects.
 * 4. The worker evaluates the code of the component, which finds these globals, and passes its `instantiate` in.
 * 5. The component is instantiated with the imports of a tool and an inert WASI, and its export runs.
 * 6. Its answer, or why there is none, goes to `end`, once.
 *
 * Only numbers, texts and truth values cross the bridge, and no error does, so the guest can't get hold of an object that was
 * made outside. Bytes cross in a buffer that the guest never sees.
 */

/** Runs one call. The component's code is evaluated between the two steps, so it finds the globals in place. */
export type Realm = (instantiate: Instantiate, exported: string, params: string) => void;

export type Instantiate = (getModule: unknown, imports: unknown, instantiate: unknown) => Promise<Exports> | Exports;
type Exports = Record<string, (argument?: { params: string }) => unknown>;

const { Instance, Memory, RuntimeError } = WebAssembly;
const RealmPromise = Promise;
const toText = String;

export function createRealm(bridge: Bridge, modules: Record<string, WebAssembly.Module>, memoryBytes: number): Realm {
  const host = createHost(bridge);
  lockErrors();
  defineGlobals(host);
  return (instantiate, exported, params) => {
    const memories: WebAssembly.Memory[] = [];
    const atEnd: (() => void)[] = [];
    const imports = createImports(host, (act) => atEnd.push(act));
    const end = (kind: EndKind, text: string): void => {
      for (const act of atEnd) act();
      host.end(kind, text);
    };
    const trap = (error: unknown): void => end(memories.some(isFull) ? 'memory' : 'trap', messageOf(error));
    void runExport();

    async function runExport(): Promise<void> {
      try {
        const exports = await instantiate((path: string) => path, imports, instantiateCore);
        const run = exports[exported];
        if (!run) throw new RealmError(`the component has no export ${exported}`);
        const answer = exported === 'execute' ? await run({ params }) : { output: await run() };
        const { output, error } = answer as { output?: unknown; error?: unknown };
        if (typeof output === 'string' && isNothing(error)) return end('output', output);
        if (typeof error === 'string' && isNothing(output)) return end('error', error);
        end('contract', 'exactly one of output and error must be set');
      } catch (error) {
        trap(error);
      }
    }

    function instantiateCore(
      path: string,
      given: Record<string, Record<string, WebAssembly.Memory>>,
    ): WebAssembly.Instance {
      const instance = new Instance(modules[path] as WebAssembly.Module, given);
      for (const value of Object.values(instance.exports)) if (value instanceof Memory) memories.push(value);
      return instance;
    }

    /** A guest that was refused more memory traps; what it had asked for is not known, so nearly full is full. */
    function isFull(memory: WebAssembly.Memory): boolean {
      return memory.buffer.byteLength > memoryBytes * 0.9;
    }
  };
}

const isNothing = (value: unknown) => value === undefined || value === null;

function messageOf(error: unknown): string {
  try {
    if (error instanceof RealmError) return toText(error.message);
  } catch {
    // the guest made an error that can't be read
  }
  return 'something that is not an error was thrown';
}

/**
 * V8 calls Node for the stack of an error, and Node's own errors would come back from there. Without a limit it takes
 * down no stack. Streams of modules and clean-ups by the garbage collector lead to Node as well.
 */
function lockErrors(): void {
  Object.defineProperty(RealmError, 'stackTraceLimit', { value: undefined, writable: false, configurable: false });
  for (const name of ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming', 'validate'])
    Reflect.deleteProperty(WebAssembly, name);
  for (const name of ['Atomics', 'SharedArrayBuffer', 'FinalizationRegistry', 'WeakRef'])
    Reflect.deleteProperty(globalThis, name);
}

function defineGlobals(host: Host): void {
  class TextDecoder {
    decode(bytes: Uint8Array = new Bytes(0)): string {
      const text = host.decode(bytes);
      if (text === undefined) throw new RuntimeError('a string is not UTF-8');
      return text;
    }
  }
  class TextEncoder {
    encode(text = ''): Uint8Array {
      return host.encode(text);
    }
    encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
      const bytes = host.encode(text);
      if (lengthOf(bytes) > lengthOf(into)) throw new RealmTypeError('there is too little room for the text');
      apply(setBytes, into, [bytes]);
      return { read: text.length, written: lengthOf(bytes) };
    }
  }
  const silent = (): void => {};
  Object.assign(globalThis, {
    TextDecoder,
    TextEncoder,
    setTimeout: (run: () => void, milliseconds = 0) => host.later(milliseconds, run),
    clearTimeout: silent,
    queueMicrotask: (run: () => void) => void RealmPromise.resolve().then(run),
    console: { log: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
}

function createImports(host: Host, onEnd: (act: () => void) => void): Record<string, Record<string, unknown>> {
  const tool = {
    log: (level: string, message: string) => host.log(level, message),
    secretExists: (name: string) => new RealmPromise((resolve) => host.secretExists(name, resolve)),
    httpRequest: (method: string, url: string, headers: string, body?: Uint8Array, timeoutMs?: number) =>
      new RealmPromise((resolve, reject) => {
        host.request(method, url, headers, body, timeoutMs, (error, status, bytes) => {
          if (error !== undefined) reject(new ErrResult(error));
          else resolve({ status, body: bytes });
        });
      }),
  };
  return { 'reborn:tool/host': tool, ...createInertWasi(host, onEnd) };
}
