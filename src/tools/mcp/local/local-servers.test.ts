// @module-tag slow
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../../../test/support/wait-for.ts';
import { callMcpTool, listMcpTools } from '../mcp-client.ts';
import { createLocalServers, type LocalServers } from './local-servers.ts';

/** A server whose tool does what its argument says. Each start adds a line to `starts` in its folder. */
const SERVER = `
const { appendFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
appendFileSync('starts', process.pid + '\\n');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
console.log('noise'); console.log('{"also":"noise"}');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  if (method === 'tools/list') send({ id, result: { tools: [{ name: 'act', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return;
  const { act } = params.arguments;
  const text = (value) => send({ id, result: { content: [{ type: 'text', text: value }] } });
  if (act === 'env') text(JSON.stringify(process.env));
  if (act === 'crash') process.exit(3);
  if (act === 'flood') process.stdout.write('x'.repeat(9 * 1024 * 1024));
  if (act === 'deep') process.stdout.write('['.repeat(100) + '\\n');
  if (act === 'child') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    text(process.ppid + ' ' + process.pid + ' ' + child.pid);
  }
});
process.stdin.on('end', () => {}); // it does not end by itself
setInterval(() => {}, 1000);
`;

let folder: string;
let local: LocalServers;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-local-'));
  program = path.join(folder, 'server.cjs');
  await writeFile(program, SERVER);
  local = open();
});
afterAll(async () => {
  await local.close();
  await rm(folder, { recursive: true, force: true });
});

const open = () => createLocalServers({ folder, path: process.env['PATH'], version: '1' });
const endpoint = (key: string, env = {}) => ({
  name: 'local',
  url: 'stdio:x',
  privateNetwork: false,
  headers: env,
  discovery: { version: '2025-11-25', discover: null },
  program: { key, command: [process.execPath, program] },
});
const network = (at: LocalServers | undefined = local) => ({
  egress: { send: () => Promise.reject(new Error('no request leaves')) },
  version: '1',
  local: at,
  callMs: 10_000,
});
const act = async (key: string, what: string, at = local, env = {}) => {
  const call = { name: 'act', arguments: { act: what } };
  const { content } = await callMcpTool(network(at), endpoint(key, env), call, {
    signal: new AbortController().signal,
  });
  return content[0]?.type === 'text' ? content[0].text : '';
};
const startsOf = async (key: string) => (await readFile(path.join(folder, key, 'starts'), 'utf8')).trim().split('\n');
const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`) || canSignal(pid);
const canSignal = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('one process serves all calls, with the granted variables and no others', async () => {
  const { tools } = await listMcpTools(network(), endpoint('one', { API_KEY: 'granted' }), []);
  expect(tools).toMatchObject([{ name: 'act' }]);
  const environments = await Promise.all([act('one', 'env'), act('one', 'env')]);

  const env = JSON.parse(environments[0] ?? '') as Record<string, string>;
  expect(env).toMatchObject({ API_KEY: 'granted', HOME: path.join(folder, 'one') });
  expect(Object.keys(env).filter((name) => !['API_KEY', 'HOME', 'PATH'].includes(name))).toEqual([]);
  expect(await startsOf('one')).toHaveLength(1);
});

test('a program that crashes costs its call, and starts again after a wait', async () => {
  await expect(act('crashing', 'crash')).rejects.toMatchObject({ name: 'McpFailure' });
  await expect(act('crashing', 'env')).rejects.toThrow('starts again in');
  await waitFor('the wait to end', () => act('crashing', 'env').then(Boolean, () => false));
  expect(await startsOf('crashing')).toHaveLength(2);

  const missing = { ...endpoint('missing'), program: { key: 'missing', command: ['/nowhere/at-all'] } };
  await expect(listMcpTools(network(), missing, [])).rejects.toThrow(/could not be started.*ENOENT/);
});

test('a program that crashes five times is left alone for ten minutes', async () => {
  const own = createLocalServers({ folder, path: undefined, version: '1', waitMs: 0 });
  for (let crash = 0; crash < 5; crash++) await expect(act('often', 'crash', own)).rejects.toThrow();
  expect(own.quarantineLeft('often')).toBeGreaterThan(500_000);
  await expect(act('often', 'env', own)).rejects.toThrow('starts again in');
  expect(await startsOf('often')).toHaveLength(5);
});

test.each(['flood', 'deep'])('a program that answers with a %s is ended', async (what) => {
  await expect(act(`bad-${what}`, what)).rejects.toMatchObject({ name: 'McpFailure' });
  const [pid = ''] = await startsOf(`bad-${what}`);
  await waitFor('its end', async () => !isAlive(Number(pid)));
});

test('when the service stops, the program ends with its children', async () => {
  const own = open();
  const pids = (await act('stopped', 'child', own)).split(' ').map(Number);
  expect(pids.every(isAlive)).toBe(true);
  await own.close();

  await waitFor('their end', async () => !pids.some(isAlive));
  await expect(act('stopped', 'env', own)).rejects.toThrow('stopping');
});

test('where programs are not allowed, none is started', async () => {
  const off = { ...network(), local: undefined };
  await expect(listMcpTools(off, endpoint('off'), [])).rejects.toThrow('MCP_LOCAL_SERVERS');
  expect(existsSync(path.join(folder, 'off'))).toBe(false);
});
