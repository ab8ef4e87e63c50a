/**
 * The guest's whole world. This file is never imported: each worker evaluates its text in a context of its own, where
 * there is nothing of Node. It sees the worker through the bridge alone, and hands the guest only what is made here.
 */
export type Bridge = {
  /** Throws when the bytes are not UTF-8. */
  decode(bytes: Uint8Array): string;
  /** Returns how many bytes were written. */
  encode(text: string, into: Uint8Array): number;
  later(milliseconds: number, run: () => void): void;
  fillRandom(bytes: Uint8Array): void;
  nanoseconds(): bigint;
  log(level: string, message: string): void;
  request(request: GuestRequest, answer: (error: string | undefined, status: number, body: Uint8Array) => void): void;
  secretExists(name: string, answer: (exists: boolean) => void): void;
};

export type GuestRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
};

export type Ending =
  | { readonly kind: 'returned'; readonly output: unknown; readonly error: unknown }
  | { readonly kind: 'trapped'; readonly message: string; readonly outOfMemory: boolean };

export type Realm = {
  run(component: Component, exported: string, params: string, end: (ending: Ending) => void): void;
};

type Component = {
  instantiate(getModule: unknown, imports: unknown, instantiate: unknown): Promise<Exports> | Exports;
};
type Exports = Record<string, (argument?: { params: string }) => unknown>;

/** Called once per worker: makes the few globals that the generated code wants, and what runs a call. */
export function createRealm(bridge: Bridge, modules: Record<string, WebAssembly.Module>, memoryBytes: number): Realm {
  defineGlobals(bridge);
  return {
    run(component, exported, params, end) {
      const memories: WebAssembly.Memory[] = [];
      const atEnd: (() => void)[] = [];
      const imports = createImports(bridge, (act) => atEnd.push(act));
      const endWith = (ending: Ending): void => {
        for (const act of atEnd) act();
        end(ending);
      };
      runExport(component, exported, params, imports, memories).then(endWith, (error: unknown) =>
        endWith({ kind: 'trapped', message: messageOf(error), outOfMemory: memories.some(isFull) }),
      );
    },
  };

  async function runExport(
    component: Component,
    exported: string,
    params: string,
    imports: unknown,
    memories: WebAssembly.Memory[],
  ): Promise<Ending> {
    const exports = await component.instantiate(
      (path: string) => path,
      imports,
      (path: string, given: never) => {
        const instance = new WebAssembly.Instance(modules[path] as WebAssembly.Module, given);
        for (const value of Object.values(instance.exports)) {
          if (value instanceof WebAssembly.Memory) memories.push(value);
        }
        return instance;
      },
    );
    const run = exports[exported];
    if (!run) throw new Error(`the component has no export ${exported}`);
    if (exported !== 'execute') return { kind: 'returned', output: await run(), error: undefined };
    const answer = (await run({ params })) as { output: unknown; error: unknown };
    return { kind: 'returned', output: answer.output, error: answer.error };
  }

  /** A guest that was refused more memory traps; what it had asked for is not known, so nearly full is full. */
  function isFull(memory: WebAssembly.Memory): boolean {
    return memory.buffer.byteLength > memoryBytes * 0.9;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'something that is no error was thrown';
}

function defineGlobals(bridge: Bridge): void {
  class TextDecoder {
    decode(bytes: Uint8Array = new Uint8Array(0)): string {
      try {
        return bridge.decode(bytes);
      } catch {
        throw new WebAssembly.RuntimeError('a string is not UTF-8');
      }
    }
  }
  class TextEncoder {
    encode(text = ''): Uint8Array {
      const bytes = new Uint8Array(text.length * 3);
      return bytes.slice(0, bridge.encode(text, bytes));
    }
    encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
      return { read: text.length, written: bridge.encode(text, into) };
    }
  }
  const silent = (): void => {};
  Object.assign(globalThis, {
    TextDecoder,
    TextEncoder,
    setTimeout: (run: () => void, milliseconds = 0) => bridge.later(milliseconds, run),
    clearTimeout: silent,
    queueMicrotask: (run: () => void) => void Promise.resolve().then(run),
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

function createImports(bridge: Bridge, onEnd: (act: () => void) => void): Record<string, Record<string, unknown>> {
  const host = {
    log: (level: string, message: string) => bridge.log(level, message),
    secretExists: (name: string) => new Promise((resolve) => bridge.secretExists(name, resolve)),
    httpRequest: (method: string, url: string, headers: string, body?: Uint8Array, timeoutMs?: number) =>
      new Promise((resolve, reject) => {
        bridge.request({ method, url, headers, body, timeoutMs }, (error, status, bytes) => {
          if (error !== undefined) reject(new ErrResult(error));
          else resolve({ status, body: new Uint8Array(bytes) });
        });
      }),
  };
  return { 'reborn:tool/host': host, ...createInertWasi(bridge, onEnd) };
}

/** What language runtimes ask of a system: clocks and random numbers work, output goes to the log, the rest is empty. */
function createInertWasi(bridge: Bridge, onEnd: (act: () => void) => void): Record<string, Record<string, unknown>> {
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
      const lines = (this.#line + textOf(bytes)).split('\n');
      this.#line = (lines.pop() ?? '').slice(0, 0x1_0000);
      for (const line of lines) bridge.log(this.#level, line);
    }
    blockingWriteAndFlush(bytes: Uint8Array): void {
      this.write(bytes);
    }
    /** A line is logged when it has ended, or the call has. */
    end(): void {
      if (this.#line !== '') bridge.log(this.#level, this.#line);
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
  const textOf = (bytes: Uint8Array): string => {
    try {
      return bridge.decode(bytes);
    } catch {
      return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    }
  };
  const none = (): undefined => undefined;
  const random = (length: bigint): Uint8Array => {
    const bytes = new Uint8Array(Math.min(Number(length), 0x1_0000));
    bridge.fillRandom(bytes);
    return bytes;
  };
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
      now: () => bridge.nanoseconds(),
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
