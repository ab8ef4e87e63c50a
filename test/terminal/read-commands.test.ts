import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { SETTINGS, spawnService } from '../support/service.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let env: Record<string, string>;
let service: Awaited<ReturnType<typeof spawnService>>;

beforeAll(async () => {
  home = await freshHome({ shared: true });
  env = { ...SETTINGS, ...home.env };
  service = await spawnService(env);
});
afterAll(async () => {
  await service.kill('SIGTERM');
  await home.remove();
});

const reborn = (...args: string[]) => runReborn(args, { env });
const json = async (...args: string[]) => JSON.parse((await reborn(...args, '--json')).stdout);

test('notes are written, searched and shown', async () => {
  const written = await runReborn(['memory', 'edit', 'likes/tea'], { env, input: 'Ann likes tea.\n' });
  expect(written.stdout).toBe('Created likes/tea.\n');
  expect((await reborn('memory', 'show', 'likes/tea')).stdout).toBe('Ann likes tea.\n');
  expect(await json('memory', 'search', 'tea')).toMatchObject([{ path: 'likes/tea' }]);
  expect((await reborn('memory', 'search', 'tea')).stdout).toMatch(/likes\/tea +yours +Ann likes tea\./);
  expect((await reborn('memory', 'keep', 'likes/tea')).stdout).toBe('They were yours already.\n');
  expect((await reborn('memory', 'keep')).stderr).toContain('Name the notes to keep, or give --all.');
  expect((await reborn('memory', 'delete', 'likes/tea', '--yes')).stdout).toBe('Deleted likes/tea.\n');
  expect(await json('memory', 'list')).toEqual([]);
  expect((await reborn('memory', 'show', 'likes/milk')).stderr).toContain(
    'reborn: The note likes/milk does not exist.',
  );
});

test('an answer is streamed as events, and its thread is found, shown and saved', async () => {
  const events = (await reborn('ask', '--stream', 'Where is the harbour?')).stdout.trim().split('\n');
  const { thread_id: thread } = JSON.parse(events[0] ?? '') as { thread_id: string };
  expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ event: { type: 'turn-ended', status: 'completed' } });

  expect((await reborn('thread', 'list', 'harbour')).stdout).toMatch(
    new RegExp(`${thread.slice(-8)}.*Where is the harbour\\?`),
  );
  expect((await reborn('thread', 'show', thread)).stdout).toContain('# Where is the harbour?\n\n## You');
  const file = path.join(home.home, 'thread.json');
  expect((await reborn('thread', 'export', thread, file)).stdout).toBe(`Saved ${file}.\n`);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ thread: { id: thread } });
  expect((await reborn('thread', 'export', thread, file)).stderr).toContain('exists already');
  expect((await reborn('thread', 'show', 'x')).stderr).toContain('reborn: The thread "x" does not exist.');
  expect((await reborn('usage')).stdout).toContain('operator');

  const [link = ''] = /http\S+\/shared\/[\w-]{32}/.exec((await reborn('thread', 'share', thread)).stdout) ?? [];
  const visit = () => fetch(link.replace('/shared/', '/api/shared/'));
  expect(await (await visit()).json()).toMatchObject({ title: 'Where is the harbour?' });
  expect((await reborn('thread', 'share', thread, '--tools')).stdout).toContain(link);
  expect((await reborn('thread', 'unshare', thread)).stdout).toBe('The link no longer works.\n');
  expect((await visit()).status).toBe(404);
  expect((await reborn('thread', 'unshare', thread)).stderr).toContain('reborn: The thread is not shared.');
});

test('a thread is named by its title or by the end of its id, changed and deleted', async () => {
  await reborn('ask', 'Where is the lighthouse?');
  const [{ id, pinned }] = (await json('thread', 'list', 'lighthouse')) as [{ id: string; pinned: boolean }];
  expect(pinned).toBe(false);

  expect((await reborn('thread', 'pin', 'where is the LIGHTHOUSE?')).stdout).toBe('Pinned.\n');
  expect((await reborn('thread', 'rename', id.slice(-8), 'Lights')).stdout).toBe('Renamed to Lights.\n');
  expect((await reborn('thread', 'compact', 'Lights')).stdout).toContain('There is too little to summarise');
  expect((await reborn('thread', 'archive', 'Lights')).stdout).toBe('Archived.\n');
  expect(await json('thread', 'list', '--archived')).toMatchObject([{ id, title: 'Lights', pinned: true }]);
  expect((await reborn('thread', 'delete', 'Lights')).stderr).toContain('Add --yes to confirm.');
  expect((await reborn('thread', 'delete', 'Lights', '--yes')).stdout).toBe('Deleted.\n');
  expect(await json('thread', 'list', '--archived')).toEqual([]);
});

test('a project is changed and shown, and completion knows its name', async () => {
  await reborn('project', 'create', 'Move to Oslo');
  await reborn('assistant', 'create', 'mover', '--description', 'Moves.');
  const budgets = ['--tokens-per-run', '5000', '--usd-per-day', '0.50'];
  const changed = await reborn('project', 'update', 'move to oslo', '--assistant', 'mover', ...budgets);
  expect(changed.stdout).toBe('Saved "Move to Oslo".\n');
  const { id, ...shown } = (await json('project', 'show', 'Move to Oslo')) as { id: string };
  expect(shown).toMatchObject({ assistant: 'mover', model: null, tokens_per_run: 5000, usd_per_day: 0.5 });
  expect((await reborn('project', 'update', id.slice(-8), '--usd-per-day', 'none', '--assistant', 'none')).code).toBe(
    0,
  );
  const { stdout } = await reborn('project', 'show', id.slice(-8));
  expect(stdout).toMatch(
    /assistant +the usual agent\n.*model +your usual one\n.*tokens +5000 per run, no limit per day/s,
  );
  expect((await reborn('project', 'update', 'Move to Oslo')).stderr).toContain('Say what to change');
  expect((await reborn('project', 'update', 'Move to Oslo', '--assistant', 'nobody')).stderr).toContain('nobody');
  expect((await reborn('completion', 'values', 'project')).stdout).toBe(`${id.slice(-8)}\tMove to Oslo\n`);
  expect((await reborn('completion', 'values', 'assistant')).stdout).toBe('mover\tMoves.\n');
});

test('a question continues the newest thread, and brings files', async () => {
  const first = await json('ask', 'Hello');
  const file = path.join(home.home, 'plan.md');
  await writeFile(file, 'The harbour opens at noon.');

  expect(await json('ask', '--continue', `What does @${file} say?`)).toMatchObject({ thread_id: first.thread_id });
  const files = await json('file', 'list', '--thread', first.thread_id);
  expect(files).toMatchObject([{ path: 'plan.md' }]);
  expect((await reborn('ask', '--file', 'nothing.md', 'Hello')).stderr).toBe(
    "reborn: The file nothing.md can't be opened.\n",
  );
});

test('a name belongs to one user, and lists for programs have the keys of the API', async () => {
  expect((await reborn('user', 'add', 'Ann')).code).toBe(0);
  expect((await reborn('user', 'add', 'ANN')).stderr).toBe('reborn: A user called ANN already exists.\n');
  expect((await reborn('audit')).stdout).toContain('user.add');
  for (const list of [['user', 'list'], ['thread', 'list'], ['audit'], ['gate', 'list'], ['skill', 'list']])
    expect({ list, keys: keysOf(await json(...list)) }).toEqual({ list, keys: expect.not.stringMatching(/[A-Z]/) });
});

test.each([
  [['policy', 'set', 'reborn_tim', 'never'], 'The tool "reborn_tim" does not exist. Did you mean "reborn_time"?'],
  [
    ['policy', 'set', 'zebra', 'never'],
    'The tool "zebra" does not exist. If it is to be installed later, set not_yet (`--not-yet`).',
  ],
  [['ask', '--model', 'nope', 'hello'], 'The model "nope" does not exist. Available models: default.'],
  [['token', 'create', 'operator'], 'The operator is not a user.'],
  [['mcp', 'add', 'near', 'http://127.0.0.1:1/mcp'], 'set private_network (`--private-network`)'],
  [['mcp', 'add', 'files', '--', 'cat'], 'Set MCP_LOCAL_SERVERS to true, and restart the service if it runs.'],
  [['webhook', 'test', 'hello'], 'HTTP_WEBHOOK_SECRET is not set here'],
])('%j is refused with advice that helps', async (args, advice) => {
  const { code, stdout, stderr } = await reborn(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(advice);
});

test('the error of a second service on the same port says that the first one runs', async () => {
  const { port } = new URL(service.url);
  const { code, stderr } = await runReborn(['serve'], { env: { ...env, GATEWAY_PORT: port } });
  expect(code).toBe(1);
  expect(stderr).toContain(`reborn: Reborn runs already, at ${service.url} (process `);
});

test('a user is not moved to a home that does not exist, and none is made', async () => {
  expect((await reborn('user', 'add', 'Mover')).code).toBe(0);
  const nowhere = path.join(home.home, 'nowhere');
  const { code, stderr } = await reborn('user', 'move', 'Mover', '--to', nowhere);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `reborn: No home with a database was found at ${nowhere}. Name the home of the other cell, or its database.\n`,
  });
  expect(existsSync(nowhere)).toBe(false);
});

/** The keys of all records, but not those inside an audit entry's detail, which belong to its action. */
function keysOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) return value.map(keysOf).join(' ');
  return Object.entries(value)
    .map(([key, inner]) => (key === 'detail' ? key : `${key} ${keysOf(inner)}`))
    .join(' ');
}
