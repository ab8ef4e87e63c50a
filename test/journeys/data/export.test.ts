import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freshHome } from '../../support/fresh-home.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { startService, textOf, WEBHOOK_SECRET } from '../../support/service.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'reborn-export-'));
const homes: { remove(): Promise<void> }[] = [];

afterAll(async () => {
  for (const home of homes) await home.remove();
  await rm(folder, { recursive: true });
});

test('an export from a laptop imports unchanged on a server: threads, files, jobs, users and tokens', async () => {
  const [laptop, server] = [await newHome(), await newHome()];
  const embedded = { REBORN_HOME: laptop.home }; // even if the tests have a database server
  const key = { SECRETS_KEY: 'ab'.repeat(32) };
  const file = path.join(folder, 'everything.reborn');
  const first = await startService({ ...embedded, ...key, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });
  const content = [
    { type: 'input_text', text: 'hello' },
    { type: 'input_text', text: 'a mail', origin: 'others', source: 'mail' },
  ];
  const answer = await first.ask([{ role: 'user', content }]);
  const job = await first.webhook.submit({ message: 'hello by webhook', conversation_id: 'c' });
  await first.webhook.completed(job);
  await runReborn(['user', 'add', 'Ann', '--email', 'ann@example.com'], { env: first.remote });
  const token = (await runReborn(['token', 'create', 'Ann'], { env: first.remote })).stdout.trim();

  const sent = await first.request('/api/chat', { method: 'POST', body: JSON.stringify({ message: 'say hello' }) });
  const costs = `/api/threads/${((await sent.json()) as { thread_id: string }).thread_id}/files/costs.csv`;
  for (const body of ['a,b\n', 'a,b\n1,2\n'])
    await first.request(costs, { method: 'PUT', body, headers: { 'content-type': 'text/csv' } });

  const exported = await runReborn(['export', file, '--json'], { env: embedded });
  await first.close();
  const imported = await runReborn(['import', file, '--json'], { env: { ...server.env, ...key } });

  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  const tables = JSON.parse(imported.stdout).tables as Record<string, { rows: number }>;
  expect(tables).toEqual(JSON.parse(exported.stdout).tables);
  expect(tables).toMatchObject({ threads: { rows: 3 }, jobs: { rows: 1 }, users: { rows: 1 }, tokens: { rows: 1 } });

  const second = await startService({ ...server.env, ...key, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });
  try {
    expect(textOf(await second.get(answer.id))).toBe(textOf(answer));
    const kept = await second.request(`/api/v1/responses/${answer.id}/input_items`);
    expect(await kept.json()).toMatchObject({ data: [{ content }] });
    expect(await (await second.request(costs)).text()).toBe('a,b\n1,2\n');
    expect(await (await second.request(`${costs}?version=1`)).text()).toBe('a,b\n');
    expect(await second.webhook.job(job)).toMatchObject({ status: 'completed', conversation_id: 'c' });
    const next = await second.ask('and again', { previous_response_id: answer.id });
    expect(next.status).toBe('completed');
    const asAnn = await second.request('/api/status', { headers: { authorization: `Bearer ${token}` } });
    expect(asAnn.status).toBe(200);
  } finally {
    await second.close();
  }
});

async function newHome() {
  const home = await freshHome();
  homes.push(home);
  return home;
}
