import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { readStream } from '../../support/read-stream.ts';
import { runReborn } from '../../support/run-reborn.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Erased = {
  id: string;
  status: string;
  certificate: { deleted: Record<string, number>; digest: string; subject: string };
};

async function call<T>(service: Service, method: string, route: string, body?: object, headers?: object): Promise<T> {
  const init = { method, ...(body && { body: JSON.stringify(body) }), headers: { ...headers } };
  return (await (await service.request(route, init)).json()) as T;
}

const statusOf = async (service: Service, method: string, route: string, headers = {}) =>
  (await service.request(route, { method, headers })).status;

test('an erased user loses access and running turns at once, and everything else with a certificate', async ({
  service,
  home,
}) => {
  const [ann, bob] = [await addUser(service, 'Ann'), await addUser(service, 'Bob')];
  for (const { headers } of [ann, bob]) {
    await call(service, 'POST', '/api/chat', { message: 'say hello' }, headers);
    await call(service, 'PUT', '/api/memory/plans', { text: 'a plan' }, headers);
  }
  const body = JSON.stringify({ model: 'm', stream: true, input: 'count 600 every 100' });
  const stream = await service.request('/v1/responses', { method: 'POST', body, headers: ann.headers });
  const events = readStream(stream)[Symbol.asyncIterator]();
  await events.next();

  const erased = await call<Erased>(service, 'POST', `/api/users/${ann.id}/erase`);
  expect(erased).toMatchObject({ status: 'completed', user_id: ann.id });
  expect(erased.certificate.deleted).toMatchObject({
    threads: 2,
    turns: 2,
    notes: 1,
    note_versions: 1,
    tokens: 1,
    users: 1,
  });
  let last: { response?: { status?: string } } | undefined;
  for (let next = await events.next(); !next.done; next = await events.next()) last = next.value;
  expect(last?.response?.status).toBe('cancelled');
  expect(await statusOf(service, 'GET', '/api/me', ann.headers)).toBe(401);
  for (const table of ['threads', 'turns', 'items', 'notes', 'note_versions', 'usage_days'])
    expect([table, await home.query(`select from ${table} where user_id = $1`, [ann.id])]).toEqual([table, []]);

  expect(await call(service, 'POST', `/api/users/${ann.id}/erase`)).toEqual(erased);
  expect(await call(service, 'GET', `/api/erasures/${erased.id}`)).toEqual(erased);
  expect(await call(service, 'GET', '/api/erasures')).toEqual({ erasures: [erased], next_cursor: null });
  const { entries } = await call<{ entries: object[] }>(service, 'GET', '/api/audit');
  expect(entries[0]).toMatchObject({ action: 'user.erased', detail: { digest: erased.certificate.digest } });
  expect(JSON.stringify(entries)).not.toContain('Ann');

  const threads = await call<{ threads: object[] }>(service, 'GET', '/api/threads', undefined, bob.headers);
  expect(threads.threads).toHaveLength(1);
  for (const unknown of ['operator', 'none', '*'])
    expect(await statusOf(service, 'POST', `/api/users/${unknown}/erase`)).toBe(404);
});

test('members erase themselves and no one else; the operator of the configuration has no account to erase', async ({
  service,
}) => {
  const [fay, gil] = [await addUser(service, 'Fay'), await addUser(service, 'Gil')];
  for (const { headers } of [fay, gil]) await call(service, 'POST', '/api/chat', { message: 'say hello' }, headers);
  expect(await statusOf(service, 'POST', `/api/users/${gil.id}/erase`, fay.headers)).toBe(403);
  const erased = await call<Erased>(service, 'POST', '/api/me/erase', undefined, fay.headers);
  expect(erased).toMatchObject({ status: 'completed', user_id: fay.id, certificate: { requested_by: fay.id } });
  expect(erased.certificate.deleted).toMatchObject({ threads: 1, tokens: 1, users: 1 });
  expect(await statusOf(service, 'GET', '/api/me', fay.headers)).toBe(401);
  expect(await statusOf(service, 'GET', `/api/erasures/${erased.id}`, gil.headers)).toBe(403);
  expect(await call(service, 'GET', `/api/erasures/${erased.id}`)).toEqual(erased);
  const { threads } = await call<{ threads: object[] }>(service, 'GET', '/api/threads', undefined, gil.headers);
  expect(threads).toHaveLength(1);
  expect(await statusOf(service, 'POST', '/api/me/erase')).toBe(404);
});

test('users download everything about themselves, and nothing of others', async ({ service, home }) => {
  const [dan, eve] = [await addUser(service, 'Dan'), await addUser(service, 'Eve')];
  for (const { headers } of [dan, eve])
    await call(
      service,
      'POST',
      '/api/chat',
      { message: `say ${headers === dan.headers ? 'my' : 'her'} words` },
      headers,
    );
  const response = await service.request('/api/me/export', { headers: dan.headers });
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="reborn-.*\.jsonl"$/);
  const text = await response.text();
  type Line = { table?: string; row?: { name?: string }; rows?: number };
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines[0]).toMatchObject({ reborn_export: 1, user_id: dan.id });
  expect(lines.at(-1)).toEqual({ end: true, rows: lines.length - 2 });
  const tables = new Set(lines.map(({ table }) => table));
  for (const table of ['users', 'tokens', 'audit', 'threads', 'turns', 'items', 'usage_days'])
    expect(tables).toContain(table);
  expect(text).toContain('my words');
  for (const hidden of ['her words', eve.id, dan.token]) expect(text).not.toContain(hidden);

  const run = await runReborn(['user', 'export', 'Dan', '-'], { env: home.env });
  expect(run.stdout.split('\n').filter((line) => line.includes('"table":"items"'))).toHaveLength(
    lines.filter(({ table }) => table === 'items').length,
  );
  const { entries } = await call<{ entries: object[] }>(service, 'GET', '/api/audit');
  expect(entries[0]).toMatchObject({ actor: 'command-line', action: 'user.export', subject: dan.id });
});

test('the command asks first, erases removed and webhook users, and prints the certificate', async ({
  service,
  home,
}) => {
  const cid = await addUser(service, 'Cid');
  await call(service, 'POST', '/api/chat', { message: 'say hello' }, cid.headers);
  await home.query(`insert into threads (id, user_id, last_seq) values (gen_random_uuid(), 'webhook:cid', 1)`);
  await service.request(`/api/users/${cid.id}`, { method: 'DELETE' });

  const unasked = await runReborn(['user', 'erase', 'Cid'], { env: home.env });
  expect(unasked.stderr).toContain('Add --yes');
  const run = await runReborn(['user', 'erase', 'Cid', '--yes', '--json'], { env: home.env });
  expect(JSON.parse(run.stdout)).toMatchObject({ subject: cid.id, deleted: { threads: 1, users: 1 } });
  const again = await runReborn(['user', 'erase', 'Cid', '--yes'], { env: home.env });
  expect(again.stderr).toContain('The user "Cid" does not exist');
  const webhook = await runReborn(['user', 'erase', 'webhook:cid', '--yes'], { env: home.env });
  expect(webhook.stdout).toContain('Erased webhook:cid: 1 threads');
});
