import { PassThrough } from 'node:stream';
import type { AgentTool } from '@reborn-agent/client/api';
import { expect, test } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { toolAuth } from './tool-auth.ts';
import { toolSetup } from './tool-setup.ts';

const auth: NonNullable<AgentTool['auth']> = {
  secret_name: 'weather_key',
  display_name: 'Weather',
  instructions: 'Make a key in your account.',
  setup_url: 'https://weather.example/keys',
  token_hint: 'begins with wk_',
  environment: null,
  oauth: false,
  redirect_port: null,
};
const weatherWith = (more: Partial<typeof auth>) => ({ tool: { name: 'weather', auth: { ...auth, ...more } } });

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
  const store = async (...put: unknown[]) => stored.push(put);
  const signIn = () => Promise.reject(new Error('no OAuth here'));
  const base = { ...weatherWith({}), holder: 'everyone', store, signIn };
  return { done: toolAuth({ ...base, terminal, ...more }), stored, shown };
}

test('tool auth explains how to get a token, stores it, and says where and for whom', async () => {
  const { done, stored, shown } = run('  wk_hunter2 \r\n');
  await done;

  expect(stored).toEqual([['weather_key', 'wk_hunter2']]);
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
  const { done, stored, shown } = run('wk_hunter2\r', { holder: 'ann' }, { isTTY: true });
  await done;

  expect(stored).toEqual([['weather_key', 'wk_hunter2']]);
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
  const { done, stored, shown } = run('', weatherWith({ environment: 'WEATHER_KEY' }));
  await done;

  expect(stored).toEqual([]);
  expect(shown()).toBe('WEATHER_KEY is set in the environment and will be used. There is nothing to store.\n');
});

test('a tool without an auth section needs nothing', async () => {
  const { done, shown } = run('', { tool: { name: 'weather', auth: null } });
  await done;

  expect(shown()).toBe('The tool "weather" needs no credential.\n');
});

test('a tool with OAuth shows the address, and waits for the browser to come back', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const signIn = async () => ({ url: 'https://id.example/auth?state=s', done: promise });
  const { done, stored, shown } = run('', { ...weatherWith({ oauth: true }), signIn });
  await waitFor('the address', async () => shown().includes('  https://id.example/auth?state=s\n'));
  expect(shown()).not.toContain('Stored');

  resolve();
  await done;
  expect(shown()).toContain('Stored as the secret "weather_key"');
  expect(stored).toEqual([]); // the sign-in has stored the tokens itself
});

test('a failed sign-in is reported', async () => {
  const { done, shown } = run('', weatherWith({ oauth: true }));

  await expect(done).rejects.toThrow('no OAuth here');
  expect(shown()).not.toContain('Stored');
});

function setUp(typed: string, present: readonly string[] = []) {
  const { terminal, shown } = terminalWith(typed);
  const stored: unknown[] = [];
  const store = async (...put: unknown[]) => stored.push(put);
  const secrets = [
    { name: 'client_id', prompt: 'Client id', optional: false },
    { name: 'client_secret', prompt: 'Client secret', optional: false },
    { name: 'region', prompt: 'Region', optional: true },
  ].map((secret) => ({ ...secret, stored: present.includes(secret.name) }));
  return {
    done: toolSetup({ tool: { name: 'weather', secrets }, holder: 'everyone', store, terminal }),
    stored,
    shown,
  };
}

test('tool setup asks for each secret in turn, and an optional one may be skipped', async () => {
  const { done, stored, shown } = setUp('id\nhunter2\n\n');
  await done;

  expect(stored).toEqual([
    ['client_id', 'id'],
    ['client_secret', 'hunter2'],
  ]);
  expect(shown()).toContain('The tool "weather" is set up for everyone on this installation.');
  expect(shown()).not.toContain('hunter2');
});

test('what is still missing is named, and what was entered is kept', async () => {
  const { done, stored } = setUp('id\n');

  await expect(done).rejects.toThrow('Still missing: client_secret. Run `reborn tool setup weather` again');
  expect(stored).toEqual([['client_id', 'id']]);
});

test('what is stored already may stay', async () => {
  const { done, stored } = setUp('\nnew\n', ['client_id', 'client_secret']);
  await done;

  expect(stored).toEqual([['client_secret', 'new']]);
});
