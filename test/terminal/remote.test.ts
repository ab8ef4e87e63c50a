import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addUser, type TestUser } from '../support/accounts.ts';
import { findFreePort } from '../support/free-port.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

let chat: Awaited<ReturnType<typeof startChatService>>;
let ann: TestUser;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  chat = await startChatService();
  ann = await addUser(chat.service, 'Ann');
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-remote-'));
  env = { REBORN_HOME: path.join(folder, 'home'), REBORN_URL: chat.service.url, REBORN_TOKEN: ann.token };
});
afterAll(async () => {
  await chat.close();
  await rm(folder, { recursive: true, force: true });
});

const reborn = (...args: string[]) => runReborn(args, { env });

test('a user asks a remote service with their own token, and no service starts here', async () => {
  expect(await reborn('ask', '--model', 'default', 'say ahoy')).toEqual({ code: 0, stdout: 'ahoy\n', stderr: '' });
  const { threads } = (await (await chat.service.request('/api/threads', { headers: ann.headers })).json()) as {
    threads: { id: string }[];
  };
  expect(JSON.parse((await reborn('thread', 'list', '--json')).stdout)).toEqual(threads);
  expect(threads).toHaveLength(1);
  expect((await reborn('link')).stdout).toMatch(new RegExp(`^${chat.service.url}/login\\?code=\\S+\n$`));
  expect(existsSync(env['REBORN_HOME'] ?? '')).toBe(false);
});

test('the chat opens at a remote service for a user who is not the operator', async () => {
  const terminal = await openTerminal({ env: { ...env, CLI_ENABLED: 'false' }, columns: 100 });
  onTestFinished(() => terminal.close());
  await terminal.sees('live');
  await terminal.type('/model');
  await terminal.press('Enter');
  await terminal.sees('The only model is scripted by openai-compatible.');
  await terminal.type('say fair winds');
  await terminal.press('Enter');
  expect(await terminal.sees(/Reborn\nfair winds/)).toContain('say fair winds');
});

test('a user is refused the commands of operators', async () => {
  const { code, stdout, stderr } = await reborn('audit');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^reborn: .*operator/);
});

test.each([
  [
    'a token that it does not know',
    { REBORN_TOKEN: 'wrong' },
    'refused the token. Set REBORN_TOKEN to a token of yours.',
  ],
  ['an address where nothing answers', {}, 'Set REBORN_URL to the address of a service that runs, or unset it.'],
])('%s is refused with what to do', async (_, more, advice) => {
  const given = 'REBORN_TOKEN' in more ? more : { REBORN_URL: `http://127.0.0.1:${await findFreePort()}` };
  const { code, stdout, stderr } = await runReborn(['ask', 'hi'], { env: { ...env, ...given } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(advice);
});
