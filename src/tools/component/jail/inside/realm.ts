/**
 * The guest's whole world. This file is never imported: a worker evaluates its text in a new context for each call, where
 * there is nothing of Node. Nothing but numbers, texts and truth values crosses the bridge, and no error does, so the
 * guest can't get hold of an object that was made outside. Bytes cross in a buffer that the guest never sees.
 */
export type Bridge = {
  /** The buffer for bytes that cross the realms. A later call may return another one. */
  reserve(length: number): ArrayBuffer;
  /** The text of the first bytes in the buffer; nothing when they are not UTF-8. */
  decode(length: number): string | undefined;
  /** Writes a text into the buffer and returns its length in bytes. */
  encode(text: string): number;
  /** Fills the buffer's first bytes. */
  random(length: number): void;
  later(milliseconds: number, run: () => void): void;
  nanoseconds(): bigint;
  log(level: string, message: string): void;
  /** The body is in the buffer if its length is not negative; so is the body of the answer. */
  request(
    method: string,
    url: string,
    headers: string,
    bodyLength: number,
    timeoutMs: number | undefined,
    answer: (error: string | undefined, status: number, bodyLength: number) => void,
  ): void;
  secretExists(name: string, answer: (exists: boolean) => void): void;
  end(kind: EndKind, text: string): void;
};

export type EndKind = 'output' | 'error' | 'trap' | 'memory' | 'contract';

/** Runs one call. The component's code is evaluated between the two steps, so it finds the globals in place. */
export type Realm = (instantiate: Instantiate, exported: string, params: string) => void;

export type Instantiate = (getModule: unknown, imports: unknown, instantiate: unknown) => Promise<Exports> | Exports;
type Exports = Record<string, (argument?: { params: string }) => unknown>;

/** What is used while the guest runs is taken beforehand: the guest may replace it. */
const { Instance, Memory, RuntimeError } = WebAssembly;
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const RealmError = Error;
const RealmPromise = Promise;
const RealmTypeError = TypeError;
const Bytes = Uint8Array;
const toText = String;
const views = getPrototypeOf(Bytes.prototype) as Uint8Array;
const setBytes = getOwnPropertyDescriptor(views, 'set')?.value as Uint8Array['set'];
const nameOfView = getOwnPropertyDescriptor(views, Symbol.toStringTag)?.get as () => string;
const lengthOfView = getOwnPropertyDescriptor(views, 'length')?.get as () => number;

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

/** The bridge as the rest of this file uses it: every argument is of its type, and no error of the outside comes in. */
type Host = {
  decode(bytes: Uint8Array): string | undefined;
  encode(text: string): Uint8Array;
  random(length: number): Uint8Array;
  later(milliseconds: number, run: () => void): void;
  nanoseconds(): bigint;
  log(level: string, message: string): void;
  request(
    method: string,
    url: string,
    headers: string,
    body: Uint8Array | undefined,
    timeoutMs: number | undefined,
    answer: (error: string | undefined, status: number, body: Uint8Array) => void,
  ): void;
  secretExists(name: string, answer: (exists: boolean) => void): void;
  end(kind: EndKind, text: string): void;
};

function createHost(bridge: Bridge): Host {
  let buffer = bridge.reserve(0);
  let room = 0;

  const guard = <T>(act: () => T): T => {
    try {
      return act();
    } catch {
      throw new RealmError('the host failed');
    }
  };
  const reserve = (length: number): void => {
    if (length <= room) return;
    buffer = guard(() => bridge.reserve(length));
    room = length;
  };
  // Neither `slice` nor `subarray`: both ask the guest for a constructor, and show it the array.
  const send = (bytes: Uint8Array): number => {
    const length = lengthOf(bytes);
    reserve(length);
    apply(setBytes, new Bytes(buffer, 0, length), [bytes]);
    return length;
  };
  const receive = (length: number): Uint8Array => {
    const bytes = new Bytes(length);
    apply(setBytes, bytes, [new Bytes(buffer, 0, length)]);
    return bytes;
  };
  /** Called from outside, where an error could not be handled. */
  const quietly = (act: () => void): void => {
    try {
      act();
    } catch {
      // the guest has broken its own callbacks, and waits until its time is up
    }
  };

  return {
    decode: (bytes) => {
      const length = send(bytes);
      return guard(() => bridge.decode(length));
    },
    encode: (text) => {
      const given = textOf(text);
      reserve(given.length * 3);
      return receive(guard(() => bridge.encode(given)));
    },
    random: (length) => {
      reserve(length);
      guard(() => bridge.random(length));
      return receive(length);
    },
    later: (milliseconds, run) => {
      const given = numberOf(milliseconds);
      guard(() => bridge.later(given, () => quietly(run)));
    },
    nanoseconds: () => guard(() => bridge.nanoseconds()),
    log: (level, message) => {
      const given = { level: textOf(level), message: textOf(message) };
      guard(() => bridge.log(given.level, given.message));
    },
    request: (method, url, headers, body, timeoutMs, answer) => {
      const given = { method: textOf(method), url: textOf(url), headers: textOf(headers) };
      const timeout = timeoutMs === undefined ? undefined : numberOf(timeoutMs);
      const bodyLength = body === undefined ? -1 : send(body);
      guard(() =>
        bridge.request(given.method, given.url, given.headers, bodyLength, timeout, (error, status, length) =>
          quietly(() => {
            reserve(length);
            answer(error, status, receive(length));
          }),
        ),
      );
    },
    secretExists: (name, answer) => {
      const given = textOf(name);
      guard(() => bridge.secretExists(given, (exists) => quietly(() => answer(exists))));
    },
    end: (kind, text) => guard(() => bridge.end(kind, text)),
  };
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new RealmTypeError('a text is wanted');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new RealmTypeError('a number is wanted');
  return value;
}

/** By the getter that a guest can't fool: it throws for everything but a real array of bytes. */
function lengthOf(value: unknown): number {
  if (apply(nameOfView, value, []) !== 'Uint8Array') throw new RealmTypeError('bytes are wanted');
  return apply(lengthOfView, value, []);
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

/** Thrown, it becomes the `err` of a result; any other error is a trap. The generated code looks for `payload`. */
class ErrResult extends Error {
  readonly payload: unknown;
  constructor(payload: unknown) {
    super('err');
    this.payload = payload;
  }
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

/** What language runtimes ask of a system: clocks and random numbers work, output goes to the log, the rest is empty. */
function createInertWasi(host: Host, onEnd: (act: () => void) => void): Record<string, Record<string, unknown>> {
  class Pollable {
    ready(): boolean {
      return true;
    }
    block(): void {}
  }
  class InputStream {
    read(): Uint8Array {
      throw new ErrResult({ tag: 'closed' });
    }
    blockingRead(): Uint8Array {
      throw new ErrResult({ tag: 'closed' });
    }
    subscribe(): Pollable {
      return new Pollable();
    }
  }
  class OutputStream {
    #level: string;
    #line = '';
    constructor(level: string) {
      this.#level = level;
    }
    checkWrite(): bigint {
      return 0x1_0000n;
    }
    write(bytes: Uint8Array): void {
      const lines = (this.#line + lenient(bytes)).split('\n');
      this.#line = (lines.pop() ?? '').slice(0, 0x1_0000);
      for (const line of lines) host.log(this.#level, line);
    }
    blockingWriteAndFlush(bytes: Uint8Array): void {
      this.write(bytes);
    }
    /** A line is logged when it has ended, or the call has. */
    end(): void {
      if (this.#line !== '') host.log(this.#level, this.#line);
      this.#line = '';
    }
    flush(): void {}
    blockingFlush(): void {}
    subscribe(): Pollable {
      return new Pollable();
    }
  }
  class Nothing {
    readonly exists = false;
  }
  const lenient = (bytes: Uint8Array): string =>
    host.decode(bytes) ?? Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const none = (): undefined => undefined;
  const random = (length: bigint): Uint8Array => host.random(Math.min(Number(length), 0x1_0000));
  const randomU64 = (): bigint => new DataView(random(8n).buffer).getBigUint64(0);
  const time = (): { seconds: bigint; nanoseconds: number } => {
    const now = Date.now();
    return { seconds: BigInt(Math.floor(now / 1000)), nanoseconds: (now % 1000) * 1_000_000 };
  };
  const [stdin, stdout, stderr] = [new InputStream(), new OutputStream('info'), new OutputStream('warn')];
  onEnd(() => stdout.end());
  onEnd(() => stderr.end());

  return {
    'wasi:cli/environment': { getEnvironment: () => [], getArguments: () => [], initialCwd: none },
    'wasi:cli/exit': {
      exit: () => {
        throw new WebAssembly.RuntimeError('the tool ended itself');
      },
    },
    'wasi:cli/stdin': { getStdin: () => stdin },
    'wasi:cli/stdout': { getStdout: () => stdout },
    'wasi:cli/stderr': { getStderr: () => stderr },
    'wasi:cli/terminal-input': { TerminalInput: Nothing },
    'wasi:cli/terminal-output': { TerminalOutput: Nothing },
    'wasi:cli/terminal-stdin': { getTerminalStdin: none },
    'wasi:cli/terminal-stdout': { getTerminalStdout: none },
    'wasi:cli/terminal-stderr': { getTerminalStderr: none },
    'wasi:clocks/monotonic-clock': {
      now: () => host.nanoseconds(),
      resolution: () => 1_000_000n,
      subscribeDuration: () => new Pollable(),
      subscribeInstant: () => new Pollable(),
    },
    'wasi:clocks/wall-clock': { now: time, resolution: () => ({ seconds: 0n, nanoseconds: 1_000_000 }) },
    'wasi:filesystem/preopens': { getDirectories: () => [] },
    'wasi:filesystem/types': { Descriptor: Nothing, DirectoryEntryStream: Nothing, filesystemErrorCode: none },
    'wasi:io/error': { Error: Nothing },
    'wasi:io/poll': { Pollable, poll: (pollables: unknown[]) => Uint32Array.from(pollables.keys()) },
    'wasi:io/streams': { InputStream, OutputStream },
    'wasi:random/random': { getRandomBytes: random, getRandomU64: randomU64 },
    'wasi:random/insecure': { getInsecureRandomBytes: random, getInsecureRandomU64: randomU64 },
    'wasi:random/insecure-seed': { insecureSeed: () => [randomU64(), randomU64()] },
  };
}
