import type { Host } from './guarded-host.ts';

/** Thrown, it becomes the `err` of a result; any other error is a trap. The generated code looks for `payload`. */
export class ErrResult extends Error {
  readonly payload: unknown;
  constructor(payload: unknown) {
    super('err');
    this.payload = payload;
  }
}

/** What language runtimes ask of a system: clocks and random numbers work, output goes to the log, the rest is empty. */
export function createInertWasi(host: Host, onEnd: (act: () => void) => void): Record<string, Record<string, unknown>> {
  class Nothing {
    readonly exists = false;
  }
  const none = (): undefined => undefined;
  const random = (length: bigint): Uint8Array => host.random(Math.min(Number(length), 0x1_0000));
  const randomU64 = (): bigint => new DataView(random(8n).buffer).getBigUint64(0);
  const time = (): { seconds: bigint; nanoseconds: number } => {
    const now = Date.now();
    return { seconds: BigInt(Math.floor(now / 1000)), nanoseconds: (now % 1000) * 1_000_000 };
  };
  const { Pollable, InputStream, OutputStream } = createStreams(host);
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

/** Input has ended, and nothing ever waits. Each line of output is logged. */
function createStreams(host: Host) {
  const lenient = (bytes: Uint8Array): string =>
    host.decode(bytes) ?? Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
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
  return { Pollable, InputStream, OutputStream };
}
