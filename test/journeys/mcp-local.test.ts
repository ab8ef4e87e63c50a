import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { test as journey } from '../support/journey.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type Service, spawnService, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const ALLOWED = { MCP_LOCAL_SERVERS: 'true' };
const PROGRAM = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const MARK = `mark-${process.pid}`; // an argument that the server ignores, to find its processes

const test = journey.override('settings', () => ALLOWED);

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

test('the reference server as a program: from the command to a result, and no orphan after kill -9', async ({
  env,
  home,
}) => {
  const command = ['mcp', 'add', 'every', '--', process.execPath, PROGRAM, 'stdio', MARK];
  const refused = await runReborn(command, { env: { ...home.env, MCP_LOCAL_SERVERS: 'false' } });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('MCP_LOCAL_SERVERS')]);
  const added = await runReborn(command, { env: { ...home.env, ...ALLOWED } });
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('every__echo') });
  expect(processes()).toEqual([]);

  const service = await spawnService(env);
  expect(textOf(await service.ask('use every__echo {"message":"hi"}'))).toBe('result: Echo: hi');
  expect(textOf(await service.ask('use every__get-sum {"a":2,"b":40}'))).toContain('42');
  expect(processes()).toHaveLength(2);
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
