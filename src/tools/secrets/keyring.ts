import { type ExecException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programFile } from '#program-files.ts';

/** The operating system's own store for passwords. Everything here fails on a machine that has none. */
export type Keyring = {
  /** Makes a key, keeps it under `account`, and tells it. */
  make(account: string): Promise<Buffer>;
  get(account: string): Promise<Buffer>;
  forget(account: string): Promise<void>;
};

const PROGRAM = programFile('tools/secrets/keyring-process');
const TIMEOUT_MS = 5000;

/**
 * Asks the keyring in a separate process: it may wait for D-Bus or for a person, and a native call can't be given up
 * in any other way than by ending its process.
 */
export function createKeyring({ program = PROGRAM, timeoutMs = TIMEOUT_MS } = {}): Keyring {
  const ask = async (act: 'make' | 'get' | 'forget', account: string): Promise<Buffer> => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', windowsHide: true } as const;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [program, act, account], options);
      return Buffer.from(stdout.trim(), 'hex');
    } catch (error) {
      // oxlint-disable-next-line eslint/preserve-caught-error -- the original holds what was printed, which may be the key
      throw new Error(describe(error as ExecException, timeoutMs));
    }
  };
  return {
    make: async (account) => checkKey(await ask('make', account)),
    get: async (account) => checkKey(await ask('get', account)),
    forget: async (account) => void (await ask('forget', account)),
  };
}

function describe({ killed, stderr }: ExecException, timeoutMs: number): string {
  if (killed) return `The keyring did not answer within ${timeoutMs / 1000} s.`;

  return /^Error: (.*)$/m.exec(String(stderr))?.[1] ?? 'The keyring could not be asked.';
}

function checkKey(key: Buffer): Buffer {
  if (key.length !== 32) throw new Error('The keyring holds no key of 32 bytes under this account.');
  return key;
}
