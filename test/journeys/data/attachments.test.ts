import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('parts', { attachmentSweep: { graceMs: 3_600_000, everyMs: 100 } });

const IMAGE = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(20_000)]);
const URL = `data:image/png;base64,${IMAGE.toString('base64')}`;
const HASH = createHash('sha256').update(IMAGE).digest('hex');
const withImage = (text: string) => [
  {
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image_url: URL },
    ],
  },
];

type Row = { user_id: string; sha256: string; idle_since: Date | null };
const rowsOf = (home: Home) => home.query<Row>('select user_id, sha256, idle_since from attachments order by user_id');

async function json<T>(
  service: Service,
  route: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<T> {
  return (await (await service.request(route, init)).json()) as T;
}

async function partOf(service: Service, threadId: string, headers = {}) {
  const { items } = await json<{ items: { content: { type: string; url: string; bytes: number }[] }[] }>(
    service,
    `/api/threads/${threadId}/items`,
    { headers },
  );
  const part = items[0]?.content.find(({ type }) => type === 'image');
  if (!part) throw new Error('The first item has no image.');
  return part;
}

/** Makes all attachments look as if they had been unused for long. */
const age = (home: Home) => home.query(`update attachments set idle_since = now() - interval '2 hours'`);

test('the bytes of an image are stored once per user, and callers get back what they sent', async ({
  service,
  home,
  model,
}) => {
  const [ann, bob] = [await addUser(service, 'Ann'), await addUser(service, 'Bob')];
  const first = await service.ask(withImage('say one'));
  const second = await service.ask(withImage('say two'), { previous_response_id: first.id });
  for (const { headers } of [ann, bob]) {
    const body = JSON.stringify({ model: 'm', input: withImage('say mine') });
    expect((await json<{ status: string }>(service, '/v1/responses', { method: 'POST', body, headers })).status).toBe(
      'completed',
    );
  }
  const rows = await rowsOf(home);
  expect(rows.map(({ sha256 }) => sha256)).toEqual([HASH, HASH, HASH]);
  expect(new Set(rows.map((row) => row.user_id)).size).toBe(3);
  const bodies = (await home.query('select body::text from items')) as { body: string }[];
  expect(Math.max(...bodies.map(({ body }) => body.length))).toBeLessThan(1000);

  expect(model.seen.at(-1)?.bytes).toBeGreaterThan((IMAGE.length * 4) / 3);
  for (const { id } of [first, second]) {
    const { data } = await json<{ data: { content: object[] }[] }>(service, `/v1/responses/${id}/input_items`);
    expect(data[0]?.content[1]).toEqual({ type: 'input_image', detail: 'auto', image_url: URL });
  }
});

test('a browser gets the bytes with their hash as ETag; other users do not', async ({ service }) => {
  const eve = await addUser(service, 'Eve');
  const { thread_id: id } = await json<{ thread_id: string }>(service, '/api/chat', {
    method: 'POST',
    body: JSON.stringify({
      message: 'say seen',
      attachments: [{ name: 'a.png', media_type: 'image/png', data: IMAGE.toString('base64') }],
    }),
  });
  const { url, bytes } = await partOf(service, id);
  expect(bytes).toBe(IMAGE.length);
  const shown = await service.request(url);
  expect(Buffer.from(await shown.arrayBuffer()).equals(IMAGE)).toBe(true);
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    etag: `"${HASH}"`,
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-disposition': expect.stringContaining('inline'),
  });
  expect((await service.request(url, { headers: { 'if-none-match': `"${HASH}"` } })).status).toBe(304);
  expect((await service.request(url, { headers: eve.headers })).status).toBe(404);

  const exported = await json<{ attachments: Record<string, string> }>(
    service,
    `/api/threads/${id}/export?format=json`,
  );
  expect(exported.attachments[url]).toBe(IMAGE.toString('base64'));
  const lines = (await (await service.request('/api/me/export')).text()).trim().split('\n');
  const row = lines.map((line) => JSON.parse(line) as { table?: string; row: Record<string, unknown> });
  expect(row.find(({ table }) => table === 'attachments')?.row).toMatchObject({
    sha256: HASH,
    content: IMAGE.toString('base64'),
  });
});

test('an attachment is deleted after the last thread that uses it, also by a fork', async ({ service, home }) => {
  const fay = await addUser(service, 'Fay');
  const init = (body: object) => ({ method: 'POST', body: JSON.stringify(body), headers: fay.headers });
  const attachments = [{ name: 'a.png', media_type: 'image/png', data: IMAGE.toString('base64') }];
  const chat = await json<{ thread_id: string }>(service, '/api/chat', init({ message: 'say kept', attachments }));
  const fork = await json<{ id: string }>(service, `/api/threads/${chat.thread_id}/fork`, init({}));
  const remove = (id: string) => service.request(`/api/threads/${id}`, { method: 'DELETE', headers: fay.headers });
  const own = async () => (await rowsOf(home)).filter(({ user_id }) => user_id === fay.id);

  await age(home);
  await waitFor('the attachment is found to be in use', async () => (await own())[0]?.idle_since === null);
  await remove(chat.thread_id);
  await age(home);
  await waitFor('the fork still uses the attachment', async () => (await own())[0]?.idle_since === null);
  expect(
    (await service.request((await partOf(service, fork.id, fay.headers)).url, { headers: fay.headers })).status,
  ).toBe(200);

  await remove(fork.id);
  expect(await own()).toHaveLength(1); // for a while, in case the same bytes are being sent again
  await age(home);
  await waitFor('the attachment is deleted', async () => (await own()).length === 0);
});

test('the text of a document is deleted with the last thread that has the file', async ({ service, home }) => {
  const ida = await addUser(service, 'Ida');
  const data = Buffer.from('# Lease\n\nThe deposit is 2700 euros.').toString('base64');
  const attachments = [{ name: 'lease.md', media_type: 'text/markdown', data }];
  const body = JSON.stringify({ message: 'say thanks', attachments });
  const send = () => json<{ thread_id: string }>(service, '/api/chat', { method: 'POST', body, headers: ida.headers });
  const threads = [await send(), await send()];
  const remove = () =>
    service.request(`/api/threads/${threads.pop()?.thread_id}`, { method: 'DELETE', headers: ida.headers });
  const count = async (table: string) =>
    (await home.query<{ count: number }>(`select count(*)::integer from ${table} where user_id = $1`, [ida.id]))[0]
      ?.count;
  const texts = () => Promise.all(['documents', 'passages', 'document_words'].map(count));
  await waitFor('the text', async () => (await texts())[2] !== 0);
  const stored = await texts();
  expect(stored.slice(0, 2)).toEqual([1, 1]);

  await remove();
  await age(home);
  const isUsed = async () =>
    (await rowsOf(home)).every(({ user_id, idle_since }) => user_id !== ida.id || idle_since === null);
  await waitFor('the other thread still uses the file', isUsed);
  expect(await texts()).toEqual(stored);
  await remove();
  await age(home);
  await waitFor('the file is deleted', async () => (await count('attachments')) === 0);
  expect(await texts()).toEqual([0, 0, 0]);
});

test('a note replaces an attachment that is lost, until the same bytes are sent again', async ({
  service,
  home,
  startAnother,
  model,
}) => {
  const first = await service.ask(withImage('say one'));
  await home.query(`update attachments set content = 'changed'`);
  const other = await startAnother(); // it has not read the bytes yet
  const continued = { previous_response_id: first.id };
  const listed = () => other.request(`/v1/responses/${first.id}/input_items`);

  expect((await other.ask('say two', continued)).status).toBe('completed');
  expect(JSON.stringify(model.seen.at(-1))).toContain("[image left out: it can't be read any more]");
  const refused = await listed();
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'attachment_unavailable', type: 'server_error' } });

  expect((await other.ask(withImage('say three'), continued)).status).toBe('completed');
  expect(model.seen.at(-1)?.bytes).toBeGreaterThan((2 * IMAGE.length * 4) / 3);
  expect((await listed()).status).toBe(200);
  await other.close();
});
