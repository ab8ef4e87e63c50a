import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { checkBucket } from '#cli/doctor/check-bucket.ts';
import { readConfig } from '#config/config.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

const test = journey()
  .override('parts', { attachmentSweep: { graceMs: 3_600_000, everyMs: 100 } })
  .override('settings', () => s3.env);

/** A new image each time. */
function newImage() {
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(20_000)]);
  const url = `data:image/png;base64,${bytes.toString('base64')}`;
  const said = (text: string) => [
    {
      role: 'user',
      content: [
        { type: 'input_text', text },
        { type: 'input_image', image_url: url },
      ],
    },
  ];
  return { bytes, url, said, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function call<T>(service: Service, method: string, route: string, headers = {}, body?: object): Promise<T> {
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return (await (await service.request(route, init)).json()) as T;
}

type Row = { user_id: string; sha256: string; object_key: string | null; content: Buffer | null };
const OF_HASH = 'select user_id, sha256, object_key, content from attachments where sha256 = $1 order by user_id';

/** The bytes that a caller gets back. */
const imageOf = async (service: Service, responseId: string) => {
  const listed = await call<{ data: { content: { image_url?: string }[] }[] }>(
    service,
    'GET',
    `/v1/responses/${responseId}/input_items`,
  );
  return listed.data[0]?.content[1]?.image_url;
};

test('attachments of the time before the bucket are read from PostgreSQL', async ({ startAnother, home }) => {
  const image = newImage();
  const before = await startAnother({ ATTACHMENTS_BUCKET: '' });
  const first = await before.ask(image.said('say one'));
  await before.close();

  const after = await startAnother();
  expect(await imageOf(after, first.id)).toBe(image.url);
  expect((await after.ask(image.said('say two'), { previous_response_id: first.id })).status).toBe('completed');
  expect(await home.query(OF_HASH, [image.sha256])).toMatchObject([{ object_key: null, content: image.bytes }]);
  expect(s3.requests).toEqual([]);
  await after.close();
});

test('new bytes go to the bucket, once per user, and callers get back what they sent', async ({ service, home }) => {
  const image = newImage();
  const ann = await addUser(service, 'Ann');
  const first = await service.ask(image.said('say one'));
  expect((await service.ask(image.said('say two'), { previous_response_id: first.id })).status).toBe('completed');
  await call(service, 'POST', '/v1/responses', ann.headers, { model: 'm', input: image.said('say mine') });

  const rows = await home.query<Row>(OF_HASH, [image.sha256]);
  expect(rows.map(({ content }) => content)).toEqual([null, null]);
  const keys = rows.map(({ object_key }) => object_key ?? '');
  expect(new Set(keys).size).toBe(2);
  expect((await s3.keys()).toSorted()).toEqual(keys.toSorted());
  expect(await home.query('select from unused_objects')).toEqual([]);
  for (const { user_id, object_key } of rows) {
    expect(object_key).not.toContain(user_id);
    expect(object_key).not.toContain(image.sha256);
  }

  const listed = await (await service.request(`/v1/responses/${first.id}/input_items`)).text();
  const exported = await (await service.request('/api/me/export', { headers: ann.headers })).text();
  for (const answer of [listed, exported]) {
    expect(answer).toContain(image.bytes.toString('base64'));
    expect(answer).not.toMatch(/attachments\/[0-9a-f]{8}-|object_key|unused_objects/);
  }
});

test('a turn waits while the bucket does not answer; other requests are refused and can be repeated', async ({
  service,
  startAnother,
  home,
}) => {
  const image = newImage();
  const first = await service.ask(image.said('say one'));
  const other = await startAnother(); // it has not read the bytes yet
  const [{ turns } = { turns: 0 }] = await home.query<{ turns: number }>('select count(*)::int as turns from turns');

  s3.break();
  const body = JSON.stringify({ model: 'm', input: newImage().said('say two') });
  for (const refused of [
    await other.request('/v1/responses', { method: 'POST', body }),
    await other.request(`/v1/responses/${first.id}/input_items`),
  ]) {
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: 'attachment_unavailable' } });
  }
  expect(await home.query('select count(*)::int as turns from turns')).toEqual([{ turns }]);
  await expect((await other.request('/api/me/export')).text()).rejects.toThrow();

  const asked = s3.requests.length;
  const answer = other.ask('say three', { previous_response_id: first.id });
  await waitFor('the turn to ask the bucket again', async () => s3.requests.length > asked + 2);
  s3.repair();
  expect(await answer).toMatchObject({ status: 'completed' });
  expect(await home.query('select max(attempt) as attempt from turns')).toEqual([{ attempt: 0 }]);
  await other.close();
});

test('a lost object is stored again when its bytes are sent again', async ({ service, startAnother, home, model }) => {
  for (const lose of [s3.delete, (key: string) => s3.overwrite(key, Buffer.from('changed'))]) {
    const image = newImage();
    const keyOf = async () => (await home.query<Row>(OF_HASH, [image.sha256]))[0]?.object_key ?? '';
    const first = await service.ask(image.said('say one'));
    const lost = await keyOf();
    await lose(lost);
    const other = await startAnother();
    expect((await other.ask('say two', { previous_response_id: first.id })).status).toBe('completed');
    expect(JSON.stringify(model.seen.at(-1))).toContain("[image left out: it can't be read any more]");

    expect((await other.ask(image.said('say three'), { previous_response_id: first.id })).status).toBe('completed');
    expect(await imageOf(other, first.id)).toBe(image.url);
    expect(await keyOf()).not.toBe(lost);
    await waitFor('the lost object to be forgotten', async () => !(await s3.keys()).includes(lost));
    await other.close();
  }
});

test('the row of an unused attachment is deleted first, and its object as soon as the bucket answers', async ({
  service,
  home,
}) => {
  const fay = await addUser(service, 'Fay');
  const attachments = [{ name: 'a.png', media_type: 'image/png', data: newImage().bytes.toString('base64') }];
  const chat = { message: 'say kept', attachments };
  const { thread_id: id } = await call<{ thread_id: string }>(service, 'POST', '/api/chat', fay.headers, chat);
  const rows = (table: string) => home.query<Row>(`select object_key from ${table} where user_id = $1`, [fay.id]);
  const [{ object_key: key } = { object_key: null }] = await rows('attachments');
  expect(await s3.keys()).toContain(key);

  s3.break();
  await service.request(`/api/threads/${id}`, { method: 'DELETE', headers: fay.headers });
  await home.query(`update attachments set idle_since = now() - interval '2 hours' where user_id = $1`, [fay.id]);
  await waitFor('the row to be deleted', async () => (await rows('attachments')).length === 0);
  expect(await rows('unused_objects')).toEqual([{ object_key: key }]);
  s3.repair();
  await waitFor('the object to be removed', async () => {
    await home.query('update unused_objects set due_at = now()'); // a try that has just failed puts it off once more
    return (await rows('unused_objects')).length === 0;
  });
  expect(await s3.keys()).not.toContain(key);
});

test('an erasure is complete when the objects are gone, and its certificate counts them', async ({ service, home }) => {
  const [ann, bob] = [await addUser(service, 'Gil'), await addUser(service, 'Hal')];
  for (const { headers } of [ann, ann, bob])
    await call(service, 'POST', '/v1/responses', headers, { model: 'm', input: newImage().said('say mine') });
  // The rest of an upload that ended early.
  await home.query(
    `insert into unused_objects (object_key, user_id, due_at) values ('attachments/x', $1, now() + interval '1 hour')`,
    [ann.id],
  );
  const keysOf = async ({ id }: { id: string }) =>
    (await home.query<Row>('select object_key from attachments where user_id = $1', [id])).map((row) => row.object_key);
  const [annsKeys, bobsKeys] = [await keysOf(ann), await keysOf(bob)];
  expect(annsKeys).toHaveLength(2);

  s3.break();
  const erase = () =>
    call<{ status: string; certificate: { deleted: object } }>(service, 'POST', `/api/users/${ann.id}/erase`);
  expect(await erase()).toMatchObject({ status: 'pending', certificate: null });
  s3.repair();
  const { status, certificate } = await erase();
  expect(status).toBe('completed');
  expect(certificate.deleted).toMatchObject({ attachments: 2, 'objects in the bucket': 3 });
  const left = await s3.keys();
  expect(left.filter((key) => annsKeys.includes(key))).toEqual([]);
  expect(left).toEqual(expect.arrayContaining(bobsKeys));
});

test('a service without the setting does not start while objects exist, and doctor says why', async ({
  service,
  startAnother,
  home,
  env,
}) => {
  expect((await service.request('/healthz')).status).toBe(200);
  await expect(startAnother({ ATTACHMENTS_BUCKET: '' })).rejects.toThrow(/ATTACHMENTS_BUCKET is not set, but \d+ att/);
  const check = async (more: Record<string, string>, offline = false) => {
    const query = async (statement: string) => ({ rows: await home.query(statement) });
    return checkBucket(readConfig({ ...env, ...more }), { query } as unknown as SystemConnection, offline);
  };
  expect(await check({})).toMatchObject([{ level: 'ok', message: expect.stringContaining('written to, read from') }]);
  expect(await s3.keys()).not.toContain('attachments/checked-by-doctor');
  expect(await check({}, true)).toMatchObject([{ level: 'ok' }]);
  expect(await check({ ATTACHMENTS_BUCKET: '' })).toMatchObject([{ level: 'problem' }]);
  expect(await check({ ATTACHMENTS_ENDPOINT: 'http://127.0.0.1:1' })).toMatchObject([
    { level: 'problem', message: expect.stringContaining('ECONNREFUSED') },
  ]);
  const [oldest] = await home.query<{ key: string }>(
    'select object_key as key from attachments where object_key is not null and is_stored order by created_at limit 1',
  );
  await s3.delete(oldest?.key ?? '');
  expect(await check({})).toMatchObject([{ level: 'ok' }, { level: 'warning' }]);
});
