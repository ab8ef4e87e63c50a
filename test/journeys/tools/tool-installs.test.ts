import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Home } from '../../support/fresh-home.ts';
import { CAPABILITIES, FINE, probe, probeJourney, request } from '../../support/probe-journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = probeJourney();

test.beforeEach(({ standIn }) => void (standIn.asked.length = 0));

test('the rate limit holds across replicas', async ({ service, install, startAnother }) => {
  const rate_limit = { requests_per_minute: 5, requests_per_hour: 100 };
  await install('slow_probe', { ...CAPABILITIES, http: { ...CAPABILITIES.http, rate_limit } });
  const other = await startAnother();
  const url = 'https://eu.cdn.example.com/';
  const here = await probe(service, { requests: Array.from({ length: 3 }, () => ({ url })) }, 'slow_probe');
  const there = await probe(other, { requests: Array.from({ length: 3 }, () => ({ url })) }, 'slow_probe');
  await other.close();

  expect(here.answers).toEqual([FINE, FINE, FINE]);
  expect(there.answers).toEqual([FINE, FINE, { error: expect.stringMatching(/5 requests a minute|rate/i) }]);
});

test('a call without its credential waits at a gate, and answering the gate continues the same call', async ({
  service,
  home,
  install,
  standIn,
}) => {
  const auth = { secret_name: 'door_key', display_name: 'The Door', instructions: 'Ask the keeper.' };
  await install('door', { ...CAPABILITIES, auth, setup: {}, http: { ...CAPABILITIES.http, credentials: {} } });
  const script = 'use door {"requests":[{"url":"https://eu.cdn.example.com/"}]}';
  const waiting = await service.ask(script);
  expect(waiting).toMatchObject({ status: 'failed', error: { code: 'authentication_required' } });
  expect(standIn.asked).toEqual([]);

  const given = await runReborn(['tool', 'auth', 'door'], {
    env: { ...home.env, ...service.remote },
    input: 'open-sesame\n',
  });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('Ask the keeper.') });
  const [gate] = await openGates(home);
  const answered = await service.request(`/api/gates/${gate}`, { method: 'POST', body: '{"answer":"approve"}' });
  expect(answered.status).toBe(202);
  const { response_id } = (await answered.json()) as { response_id: string };
  const done = await waitFor('the thread to continue', async () => {
    const response = await service.get(response_id);
    return response.status === 'completed' ? response : undefined;
  });
  expect(textOf(done)).toContain('fine');
  expect(standIn.asked).toHaveLength(1);
  const again = await service.request(`/api/gates/${gate}`, { method: 'POST', body: '{"answer":"approve"}' });
  expect(again.status).toBe(404);
});

test('an installed tool that can write needs approval, and one that can only read does not', async ({
  service,
  install,
  standIn,
}) => {
  const allowlist = [{ host: '*.cdn.example.com', path_prefix: '/', methods: ['GET'] }];
  await install('writer', CAPABILITIES);
  await install('reader', { ...CAPABILITIES, http: { ...CAPABILITIES.http, allowlist, credentials: {} } });
  for (const name of ['writer', 'reader'])
    expect((await service.request(`/api/tool-policies/${name}`, { method: 'DELETE' })).status).toBe(204);
  const script = (name: string) => `use ${name} {"requests":[{"url":"https://eu.cdn.example.com/"}]}`;

  expect(await service.ask(script('writer'))).toMatchObject({ error: { code: 'approval_required' } });
  expect(standIn.asked).toEqual([]);
  expect(textOf(await service.ask(script('reader')))).toContain('fine');
});

test('after text by others, a tool that reaches a host asks, and one that reaches nothing runs', async ({
  service,
  install,
}) => {
  const allowlist = [{ host: '*.cdn.example.com', path_prefix: '/', methods: ['GET'] }];
  await install('far', { http: { ...CAPABILITIES.http, allowlist, credentials: {} } });
  await install('near', {});
  for (const name of ['far', 'near']) await service.request(`/api/tool-policies/${name}`, { method: 'DELETE' });
  const page = { type: 'input_text', text: 'Boats for sale', origin: 'others', source: 'page' };
  const ask = (name: string) =>
    service.ask([{ role: 'user', content: [{ type: 'input_text', text: `use ${name} {}\n` }, page] }]);

  expect(await ask('far')).toMatchObject({ error: { code: 'approval_required' } });
  expect(await ask('near')).toMatchObject({ status: 'completed' });
});

test('denying a gate gives the call an output that says so', async ({ service, home, install }) => {
  const auth = { secret_name: 'cellar_key' };
  await install('cellar', { ...CAPABILITIES, auth, setup: {}, http: { ...CAPABILITIES.http, credentials: {} } });
  await service.ask('use cellar {}');
  const [gate] = await openGates(home);
  const body = JSON.stringify({ answer: 'deny', reason: 'Not today.' });
  const answered = await service.request(`/api/gates/${gate}`, { method: 'POST', body });
  const { response_id } = (await answered.json()) as { response_id: string };

  const done = await waitFor('the thread to continue', async () => {
    const response = await service.get(response_id);
    return response.status === 'completed' ? response : undefined;
  });
  expect(textOf(done)).toContain('Not today.');
});

test('installing under an existing name needs --force and replaces the tool on every replica', async ({
  service,
  folder,
  wasm,
  install,
}) => {
  await install('probe', CAPABILITIES, 'command');
  const file = path.join(folder, 'probe.json');
  const args = ['tool', 'install', wasm, '--capabilities', file, '--name', 'probe', '--yes'];
  await writeFile(
    file,
    JSON.stringify({ ...CAPABILITIES, http: { ...CAPABILITIES.http, allowlist: [], credentials: {} } }),
  );

  expect(await runReborn(args, { env: service.remote })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--force'),
  });
  expect(await runReborn([...args, '--force'], { env: service.remote })).toMatchObject({ code: 0 });
  await waitFor('the new one', async () => 'error' in (await request(service, { url: 'https://eu.cdn.example.com/' })));
});

test('an invalid capabilities file is refused with every problem', async ({ service, folder, wasm }) => {
  const file = path.join(folder, 'wrong.json');
  await writeFile(file, JSON.stringify({ http: { allowlist: [{ host: 'https://x.example' }] }, filesystem: true }));
  const refused = await runReborn(['tool', 'install', wasm, '--capabilities', file, '--name', 'wrong'], {
    env: service.remote,
  });

  expect(refused.code).toBe(1);
  for (const place of ['filesystem', 'host', 'path_prefix']) expect(refused.stderr).toContain(place);
});

test('without a terminal, nothing is installed that was not confirmed with --yes', async ({ service, wasm }) => {
  for (const more of [[], ['--json']]) {
    const refused = await runReborn(['tool', 'install', wasm, '--name', 'unasked', ...more], { env: service.remote });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --yes') });
  }
  expect((await runReborn(['tool', 'list'], { env: service.remote })).stdout).not.toContain('unasked');
});

test('a tool without capabilities can reach nothing, and the install says so', async ({ service, wasm }) => {
  const installed = await runReborn(['tool', 'install', wasm, '--name', 'bare', '--yes'], { env: service.remote });

  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('can reach nothing') });
  const { stdout } = await runReborn(['tool', 'list', '--json'], { env: service.remote });
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'bare', reads: false }));
});

test('the operator says of one version that it only reads, and of the next one again', async ({
  service,
  home,
  wasm,
}) => {
  const install = (...more: string[]) =>
    runReborn(['tool', 'install', wasm, '--name', 'almanac', '--yes', ...more], { env: service.remote });
  const reads = () =>
    home.query(`select reads_revision = revision as reads from tools where name = 'almanac'`).then(([row]) => row);
  expect((await install('--reads')).stdout).toContain('You say that it only reads');
  expect(await reads()).toEqual({ reads: true });
  expect((await runReborn(['tool', 'list'], { env: service.remote })).stdout).toMatch(/almanac +only/);
  expect((await install('--force')).stdout).toContain('has to be approved');
  expect(await reads()).toEqual({ reads: null });
});

async function openGates(home: Home): Promise<string[]> {
  const rows = await home.query<{ id: string }>(`select id from gates where answered_at is null and kind = 'auth'`);
  return rows.map(({ id }) => id);
}
