import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, spawnService, textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const ALLOWED = { MCP_LOCAL_SERVERS: 'true' };
const PROGRAM = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const FILES = path.resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const MARK = `mark-${process.pid}`; // an argument that the server ignores, to find its processes

const test = journey().override('settings', () => ALLOWED);

const add = (service: Service, body: object, headers = {}) =>
  service.request('/api/mcp', { method: 'POST', headers, body: JSON.stringify({ for: 'everyone', ...body }) });

/** The guard and the server. */
const processes = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(MARK);
    } catch {
      return false;
    }
  });

test('the reference servers as programs: from the command to a result, and no orphan after kill -9', async ({
  env,
  home,
}) => {
  const command = ['mcp', 'add', 'every', '--trust-annotations', '--', process.execPath, PROGRAM, 'stdio', MARK];
  const refused = await runReborn(command, { env: { ...home.env, MCP_LOCAL_SERVERS: 'false' } });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('MCP_LOCAL_SERVERS')]);
  const added = await runReborn(command, { env: { ...home.env, ...ALLOWED } });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('every__echo') });
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'list.txt'), 'Buy milk.');
  const files = await runReborn(
    ['mcp', 'add', 'files', '--trust-annotations', '--', process.execPath, FILES, folder, `${folder}/${MARK}`],
    {
      env: { ...home.env, ...ALLOWED },
    },
  );
  expect(files).toMatchObject({ code: 0, stdout: expect.stringContaining('files__read_text_file') });
  expect(processes()).toEqual([]);

  const service = await spawnService(env);
  expect(textOf(await service.ask('use every__echo {"message":"hi"}'))).toBe('result: Echo: hi');
  expect(textOf(await service.ask('use every__get-sum {"a":2,"b":40}'))).toContain('42');
  expect(processes()).toHaveLength(2);

  // Reading needs no approval, writing does, and the server keeps to its folder.
  const use = (tool: string, given: object) => `use files__${tool} ${JSON.stringify(given)}`;
  const read = (file: string) => service.ask(use('read_text_file', { path: file }));
  expect(textOf(await read(path.join(folder, 'list.txt')))).toContain('Buy milk.');
  expect(textOf(await read('/etc/hostname'))).toContain('Access denied');
  const copy = path.join(folder, 'copy.txt');
  const waiting = await service.ask(use('write_file', { path: copy, content: 'Buy bread.' }));
  expect(waiting).toMatchObject({ error: { code: 'approval_required' } });
  expect(existsSync(copy)).toBe(false);
  const { gates } = (await (await service.request('/api/gates')).json()) as { gates: { id: string }[] };
  await service.request(`/api/gates/${gates[0]?.id}`, { method: 'POST', body: '{"answer":"approve"}' });
  await waitFor('the file', async () => existsSync(copy) && readFileSync(copy, 'utf8') === 'Buy bread.');
  expect(processes()).toHaveLength(4);
  await service.kill();
  await waitFor('the end of its processes', async () => processes().length === 0);
});

test('only operators add programs, and users see no command', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const command = [process.execPath, PROGRAM, 'stdio'];
  expect((await add(service, { name: 'mine', command, for: 'me' }, ann.headers)).status).toBe(403);
  for (const bad of [
    { command: [] },
    { command: ['a\0b'] },
    { command, url: 'https://mcp.example.com/' },
    { command: 'x' },
  ])
    expect((await add(service, { name: 'bad', ...bad })).status).toBe(400);
  const headers = { SHOWN_KEY: 'value-of-the-key' };
  expect((await add(service, { name: 'shared', command, headers })).status).toBe(201);
  const seen = await (await service.request('/api/mcp/shared', { headers: ann.headers })).text();
  expect(seen).toContain('"url":"stdio:"');
  expect(seen).not.toContain('value-of-the-key');
  expect((await service.request('/api/mcp/shared?for=everyone', { method: 'DELETE' })).status).toBe(204);
});
