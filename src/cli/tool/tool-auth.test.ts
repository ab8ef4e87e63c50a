import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ToolAuth } from '#tools/auth/tool-auth.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { toolAuth } from './tool-auth.ts';
import { toolSetup } from './tool-setup.ts';

const auth: ToolAuth = {
  secretName: 'weather_key',
  displayName: 'Weather',
  instructions: 'Make a key in your account.',
  setupUrl: 'https://weather.example/keys',
  tokenHint: 'begins with wk_',
  envVar: 'WEATHER_KEY',
};

/** A terminal with `typed` as its input; without a TTY, as in a script. */
function terminalWith(typed: string, { isTTY = false } = {}) {
  const input = Object.assign(new PassThrough(), isTTY ? { isTTY, setRawMode: () => input } : {});
  const output = Object.assign(new PassThrough(), { columns: 80, isTTY });
  let shown = '';
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  if (isTTY) void waitFor('the question', async () => shown.includes('Token')).then(() => input.write(typed));
  else input.end(typed);
  return { terminal: { input, output }, shown: () => shown };
}

function run(typed: string, more: Partial<Parameters<typeof toolAuth>[0]> = {}, tty = {}) {
  const { terminal, shown } = terminalWith(typed, tty);
  const stored: unknown[] = [];
  const secrets = { put: async (...put: unknown[]) => void stored.push(put.slice(0, 3)) };
  const signIn = () => Promise.reject(new Error('no OAuth here'));
  const base = {
    toolName: 'weather',
    holder: 'everyone',
    environment: () => undefined,
    auth,
    secrets,
    signIn,
  } as const;
  return { done: toolAuth({ ...base, terminal, ...more }), stored, shown };
}

test('tool auth explains how to get a token, stores it, and says where and for whom', async () => {
  const { done, stored, shown } = run('  wk_hunter2 \r\n');
  await done;

  expect(stored).toEqual([['everyone', 'weather_key', 'wk_hunter2']]);
  expect(shown()).toBe(
    [
      'Make a key in your account.',
      'Get a token at https://weather.example/keys',
      'Stored as the secret "weather_key", encrypted in the database, for everyone on this installation.',
      '',
    ].join('\n'),
  );
});

test('on a terminal the token is asked for, and not shown', async () => {
  const { done, stored, shown } = run('wk_hunter2\r', { holder: { userId: 'ann' } }, { isTTY: true });
  await done;

  expect(stored).toEqual([[{ userId: 'ann' }, 'weather_key', 'wk_hunter2']]);
  expect(shown()).toContain('Token for Weather (begins with wk_)');
  expect(shown()).toContain('for the user ann.');
  expect(shown()).not.toContain('hunter2');
});

test.each([
  ['\u0003', 'Cancelled.'],
  ['\r', 'No token was entered'],
])('on a terminal %j stores nothing', async (typed, says) => {
  const { done, stored } = run(typed, {}, { isTTY: true });

  await expect(done).rejects.toThrow(says);
  expect(stored).toEqual([]);
});

test('without a token nothing is stored', async () => {
  const { done, stored } = run('\n');

  await expect(done).rejects.toThrow('No token was entered, and nothing was stored.');
  expect(stored).toEqual([]);
});

test('a variable that is set is enough', async () => {
  const { done, stored, shown } = run('', { environment: (name) => (name === 'WEATHER_KEY' ? 'hunter2' : undefined) });
  await done;

  expect(stored).toEqual([]);
  expect(shown()).toBe('WEATHER_KEY is set in the environment and will be used. There is nothing to store.\n');
});

test('a tool without an auth section needs nothing', async () => {
  const { done, shown } = run('', { auth: undefined });
  await done;

  expect(shown()).toBe('The tool "weather" needs no credential.\n');
});

test('a tool with OAuth shows the address, and waits for the browser to come back', async () => {
  const oauth = { authorizationUrl: 'https://id.example/auth', tokenUrl: 'https://id.example/token', scopes: [] };
  const { promise, resolve } = Promise.withResolvers<void>();
  const signIn = async () => ({ url: 'https://id.example/auth?state=s', done: promise, cancel: () => {} });
  const { done, stored, shown } = run('', { auth: { ...auth, oauth }, signIn });
  await waitFor('the address', async () => shown().includes('  https://id.example/auth?state=s\n'));
  expect(shown()).not.toContain('Stored');

  resolve();
  await done;
  expect(shown()).toContain('Stored as the secret "weather_key"');
  expect(stored).toEqual([]); // the sign-in has stored the tokens itself
});

test('a failed sign-in is reported', async () => {
  const oauth = { authorizationUrl: 'https://id.example/auth', tokenUrl: 'https://id.example/token', scopes: [] };
  const { done, shown } = run('', { auth: { ...auth, oauth } });

  await expect(done).rejects.toThrow('no OAuth here');
  expect(shown()).not.toContain('Stored');
});

function setUp(typed: string, present: readonly string[] = []) {
  const { terminal, shown } = terminalWith(typed);
  const stored: unknown[] = [];
  const secrets = {
    put: async (...put: unknown[]) => void stored.push(put.slice(0, 3)),
    exists: async (_: unknown, name: string) => present.includes(name),
  };
  const required = [
    { name: 'client_id', prompt: 'Client id' },
    { name: 'client_secret', prompt: 'Client secret' },
    { name: 'region', prompt: 'Region', optional: true },
  ];
  return { done: toolSetup({ toolName: 'weather', required, holder: 'everyone', secrets, terminal }), stored, shown };
}

test('tool setup asks for each secret in turn, and an optional one may be skipped', async () => {
  const { done, stored, shown } = setUp('id\nhunter2\n\n');
  await done;

  expect(stored).toEqual([
    ['everyone', 'client_id', 'id'],
    ['everyone', 'client_secret', 'hunter2'],
  ]);
  expect(shown()).toContain('The tool "weather" is set up for everyone on this installation.');
  expect(shown()).not.toContain('hunter2');
});

test('what is still missing is named, and what was entered is kept', async () => {
  const { done, stored } = setUp('id\n');

  await expect(done).rejects.toThrow('Still missing: client_secret. Run `reborn tool setup weather` again');
  expect(stored).toEqual([['everyone', 'client_id', 'id']]);
});

test('what is stored already may stay', async () => {
  const { done, stored } = setUp('\nnew\n', ['client_id', 'client_secret']);
  await done;

  expect(stored).toEqual([['everyone', 'client_secret', 'new']]);
});
