import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseResponseId } from '#http/response-id.ts';
import { addUser } from '../support/accounts.ts';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type Service, startService } from '../support/service.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let service: Service;
let ann: { id: string };
let thread: string;

beforeAll(async () => {
  home = await freshHome({ shared: true });
  service = await startService(home.env);
  ann = await addUser(service, 'Ann');
  await addUser(service, 'Bob');
  await put('/api/tool-policies/reborn_time', { level: 'ask' });
  await put('/api/memory/likes/tea', { text: 'Ann likes tea.' });
  await put('/api/memory/likes/coffee', { text: 'Ann likes coffee.' });
  await send('DELETE', '/api/memory/likes/coffee', {});
  await post('/api/missions', { name: 'Daily', instruction: 'say hi', schedule: { every_minutes: 60 } });
  await post('/api/skills', { text: '---\nname: tea\ndescription: How tea is made.\n---\nWarm the pot.' });
  await post('/api/webhook-routes', {
    name: 'issues',
    verifier: 'github',
    webhook_user: 'triage',
    message: 'Triage {{issue.title}}',
    secret: 'secret-of-github',
  });
  const { threadId } = parseResponseId((await service.ask('hello')).id) ?? {};
  thread = String(threadId);
  await service.request(`/api/threads/${thread}/files/plan.md`, { method: 'PUT', body: 'one' });
  await home.query(`insert into pairings (user_id, paired_user_id) values ('webhook:triage', 'operator')`);
});
afterAll(async () => {
  await service.close();
  await home.remove();
});

const send = async (method: string, route: string, body: object) => {
  const response = await service.request(route, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
};
const put = (route: string, body: object) => send('PUT', route, body);
const post = (route: string, body: object) => send('POST', route, body);

/** Every command that lists something, and the list of the API that its `--json` prints. */
const LISTS: readonly [command: string, route: () => string, key: string, least?: number][] = [
  ['thread list', () => '/api/threads?limit=20', 'threads', 1],
  ['models', () => '/api/models', 'models', 1],
  ['memory list', () => '/api/memory', 'results', 1],
  ['memory search tea', () => '/api/memory?q=tea', 'results', 1],
  ['memory history likes/tea', () => '/api/note-versions/likes%2Ftea', 'versions', 1],
  ['memory deleted', () => '/api/deleted-notes?limit=100', 'notes', 1],
  ['file list', () => `/api/threads/${thread}/files`, 'files', 1],
  ['file history', () => `/api/threads/${thread}/file-versions`, 'versions', 1],
  ['usage', () => '/api/usage?days=7', 'usage', 1],
  ['audit', () => '/api/audit?limit=20', 'entries', 1],
  ['channel list', () => '/api/channels', 'channels'],
  ['gate list', () => '/api/gates', 'gates'],
  ['approval list', () => '/api/approvals', 'approvals'],
  ['pairing list', () => '/api/pairings', 'pairings', 1],
  ['policy list', () => '/api/tool-policies', 'policies', 1],
  ['mission list', () => '/api/missions', 'missions', 1],
  ['delivery list', () => '/api/deliveries', 'deliveries'],
  ['user list', () => '/api/users', 'users', 2],
  ['token list Ann', () => `/api/users/${ann.id}/tokens`, 'tokens', 1],
  ['session list operator', () => '/api/users/operator/sessions', 'sessions'],
  ['skill list', () => '/api/skills', 'skills', 1],
  ['tool list', () => '/api/tools', 'tools', 1],
  ['mcp list', () => '/api/mcp', 'servers'],
  ['webhook route list', () => '/api/webhook-routes', 'routes', 1],
];

test.each(LISTS)('`reborn %s --json` prints the list of the API', async (command, route, key, least = 0) => {
  const { stdout, stderr } = await runReborn([...command.split(' '), '--json'], { env: service.remote });
  const answer = (await (await service.request(route())).json()) as Record<string, unknown[]>;
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(answer[key]);
  expect(answer[key]?.length).toBeGreaterThanOrEqual(least);
});
