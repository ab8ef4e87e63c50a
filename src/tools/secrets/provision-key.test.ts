import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyring, type Keyring } from './keyring.ts';
import { provisionSecretsKey, warnOfLocalKey } from './provision-key.ts';

let parent: string;
let home: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
  home = path.join(parent, 'not', 'there');
});

afterEach(() => rm(parent, { recursive: true }));

const fails = () => Promise.reject(new Error('no D-Bus here'));
const noKeyring: Keyring = { make: fails, get: fails, forget: fails };

function memoryKeyring() {
  const entries = new Map<string, Buffer>();
  const keyring: Keyring = {
    async make(account) {
      entries.set(account, randomBytes(32));
      return keyring.get(account);
    },
    async get(account) {
      const key = entries.get(account);
      if (!key) throw new Error('no such entry');
      return key;
    },
    forget: async (account) => void entries.delete(account),
  };
  return { entries, keyring };
}

test('a key that is set is used, and nothing is made', async () => {
  const setting = Buffer.alloc(32, 7);

  expect(await provisionSecretsKey({ setting, home, keyring: noKeyring })).toEqual({ key: setting, source: 'setting' });
  expect(await readdir(parent)).toEqual([]);
});

describe('without a keyring', () => {
  const provision = () => provisionSecretsKey({ setting: undefined, home, keyring: noKeyring });

  test('the key is made once, in a file that only its owner can read', async () => {
    const made = await provision();

    expect(made).toEqual({ key: expect.any(Buffer), source: 'file' });
    expect(made.key).toHaveLength(32);
    expect(await provision()).toEqual(made);
    expect((await stat(path.join(home, 'secrets-key'))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
  });

  test('several that start together agree on one, and leave nothing behind', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, provision));

    expect(new Set(made.map(({ key }) => key.toString('hex')))).toHaveProperty('size', 1);
    expect(await readdir(home)).toEqual(['secrets-key']);
  });

  test('a file that holds something else is named, and not written over', async () => {
    await provision();
    const file = path.join(home, 'secrets-key');
    await writeFile(file, 'hunter2\n');

    await expect(provision()).rejects.toThrow(`${file} holds no key. Restore it, or set SECRETS_KEY.`);
    expect(await readFile(file, 'utf8')).toBe('hunter2\n');
  });
});

describe('with a keyring', () => {
  test('the key is in there, and the file only says so', async () => {
    const { entries, keyring } = memoryKeyring();
    const made = await provisionSecretsKey({ setting: undefined, home, keyring });

    expect(made.source).toBe('keyring');
    expect([...entries.values()]).toEqual([made.key]);
    expect(await readFile(path.join(home, 'secrets-key'), 'utf8')).toMatch(/^keyring:[0-9a-f]{16}\n$/);
    expect(await provisionSecretsKey({ setting: undefined, home, keyring })).toEqual(made);
  });

  test('several that start together agree on one, and the others are forgotten', async () => {
    const { entries, keyring } = memoryKeyring();
    const provision = () => provisionSecretsKey({ setting: undefined, home, keyring });
    const made = await Promise.all(Array.from({ length: 20 }, provision));

    expect(new Set(made.map(({ key }) => key.toString('hex')))).toHaveProperty('size', 1);
    expect(entries).toHaveProperty('size', 1);
  });

  test('a later start that cannot reach it makes no second key', async () => {
    const { keyring } = memoryKeyring();
    await provisionSecretsKey({ setting: undefined, home, keyring });

    await expect(provisionSecretsKey({ setting: undefined, home, keyring: noKeyring })).rejects.toThrow(
      /keyring .*no D-Bus here.* set SECRETS_KEY/,
    );
  });

  test('a key that began in the file stays there', async () => {
    const made = await provisionSecretsKey({ setting: undefined, home, keyring: noKeyring });

    expect(await provisionSecretsKey({ setting: undefined, home, keyring: memoryKeyring().keyring })).toEqual(made);
  });
});

describe("the machine's keyring", () => {
  const programThat = async (does: string, timeoutMs = 60_000) => {
    const program = path.join(parent, 'program.mjs');
    await writeFile(program, does);
    return createKeyring({ program, timeoutMs });
  };

  test('is given up if it never answers, and the file is used instead', async () => {
    const keyring = await programThat('for (;;);', 1000);
    const begun = performance.now();

    expect(await provisionSecretsKey({ setting: undefined, home, keyring })).toMatchObject({ source: 'file' });
    expect(performance.now() - begun).toBeLessThan(10_000);
    await expect(keyring.get('a')).rejects.toThrow('did not answer within 1 s');
  });

  test('is reported with its error if it fails, without its output', async () => {
    const keyring = await programThat('console.log("f".repeat(64)); throw new Error("the collection is locked")');
    const failure: unknown = await keyring.get('a').catch((error: unknown) => error);

    expect(failure).toMatchObject({ message: 'the collection is locked' });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('ffff');
  });

  test('has no key if it answers with anything else', async () => {
    const keyring = await programThat('console.log("")');

    await expect(keyring.get('a')).rejects.toThrow('no key of 32 bytes');
  });

  test('provides its key', async () => {
    const keyring = await programThat('console.log("0f".repeat(32), process.argv.slice(2).length)');

    expect(await keyring.make('a')).toEqual(Buffer.alloc(32, 0x0f));
  });
});

test('a key of this machine alone is warned of when the database may be shared', () => {
  const key = Buffer.alloc(32);

  expect(warnOfLocalKey({ key, source: 'file' }, 'external')).toContain('Set SECRETS_KEY');
  expect(warnOfLocalKey({ key, source: 'keyring' }, 'external')).toContain('Set SECRETS_KEY');
  expect(warnOfLocalKey({ key, source: 'setting' }, 'external')).toBeUndefined();
  expect(warnOfLocalKey({ key, source: 'file' }, 'embedded')).toBeUndefined();
});
