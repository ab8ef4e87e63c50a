import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { WEBHOOK_SECRET } from '../../support/service.ts';

const test = journey().override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });

test('a message becomes a job, which completes with the answer', async ({ service }) => {
  const { webhook } = service;
  const response = await webhook.post({ message: 'say hello there', metadata: { issue: 7 } });
  expect(response.status).toBe(200);
  const accepted = (await response.json()) as { job_id: string };
  expect(accepted).toEqual({ job_id: expect.stringMatching(/^[\da-f-]{36}$/), status: 'queued' });

  expect(await webhook.completed(accepted.job_id)).toEqual({
    id: accepted.job_id,
    status: 'completed',
    response: 'hello there',
    metadata: { issue: 7 },
    created_at: expect.stringMatching(/Z$/),
    completed_at: expect.stringMatching(/Z$/),
  });
});

test('a conversation continues under the name its caller gave, for that user only', async ({ service }) => {
  const { webhook } = service;
  const say = async (user_id: string, message: string) =>
    webhook.completed(await webhook.submit({ user_id, message, conversation_id: 'support/1' }));
  await say('ann', 'say first');

  expect((await say('ann', 'recite')).response).toContain('say first');
  expect((await say('bob', 'recite')).response).not.toContain('say first');
  expect((await say('ann', 'say x')).conversation_id).toBe('support/1');
});

test('messages that name a new conversation at the same moment share one thread', async ({ service }) => {
  const { webhook } = service;
  const sent = Array.from({ length: 8 }, (_, index) =>
    webhook.submit({ user_id: 'crowd', message: `say part-${index}`, conversation_id: 'rush' }),
  );
  for (const id of await Promise.all(sent)) await webhook.completed(id);

  const last = await webhook.completed(
    await webhook.submit({ user_id: 'crowd', message: 'recite', conversation_id: 'rush' }),
  );
  for (let index = 0; index < 8; index++) expect(last.response).toContain(`part-${index}`);
});

test('the same delivery gives the same job, and another body with its key is refused', async ({ service }) => {
  const { webhook } = service;
  const headers = { 'idempotency-key': 'delivery-1' };
  const body = { message: 'say once', conversation_id: 'deliveries' };
  const ids = await Promise.all([webhook.submit(body, headers), webhook.submit(body, headers)]);

  expect(new Set(ids).size).toBe(1);
  expect(await (await webhook.post({ ...body, message: 'say twice' }, headers)).json()).toMatchObject({
    error: { type: 'conflict_error', code: 'idempotency_mismatch' },
  });
});

test('a repeated delivery returns the current status of its job, and the response when complete', async ({
  service,
}) => {
  const { webhook } = service;
  const headers = { 'idempotency-key': 'delivery-2' };
  const body = { message: 'say done' };
  const first = await (await webhook.post(body, headers)).json();
  expect(first).toMatchObject({ status: 'queued' });
  const { id } = await webhook.completed((first as { job_id: string }).job_id);

  expect(await (await webhook.post(body, headers)).json()).toEqual({
    job_id: id,
    status: 'completed',
    response: 'done',
  });
});

test('a turn that fails is a completed job with an error', async ({ service }) => {
  const { webhook } = service;
  const job = await webhook.completed(await webhook.submit({ message: 'break 400' }));

  expect(job).toMatchObject({ status: 'completed', error: { code: 'model_error' } });
  expect(job).not.toHaveProperty('response');
  expect(job.completed_at).toBeDefined();
});

test.for([
  [{ user_id: 'a\u0000b' }, 'user_id'],
  [{ user_id: 'a\ud800' }, 'user_id'],
  [{ user_id: 'x'.repeat(257) }, 'user_id'],
  [{ message: '  ' }, 'message'],
  [{ conversation_id: '' }, 'conversation_id'],
  [{ conversation_id: 5 }, 'conversation_id'],
  [{ metadata: [] }, 'metadata'],
  [{ callback_url: 'https://elsewhere.example/' }, 'callback_url'],
  [{ callback_url: 'http://hooks.example/' }, 'callback_url'],
] as const)('%j is refused, and the field is named', async ([fields, param], { service }) => {
  const refused = await service.webhook.post({ message: 'say x', ...fields });

  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
});

test.for(['[]', '"x"', '1', 'null', ''])(
  'a body that is %j is refused with an explanation',
  async (body, { service }) => {
    const headers = { 'content-type': 'application/json' };
    const refused = await service.webhook.request('/webhook', { method: 'POST', body, headers });

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringMatching(/^The body (is required and )?must be a JSON object\.$/), param: null },
    });
  },
);

test('null means absent, and unknown fields are ignored', async ({ service }) => {
  const body = { message: 'say x', conversation_id: null, metadata: null, callback_url: null, priority: 'high' };
  expect((await service.webhook.completed(await service.webhook.submit(body))).response).toBe('x');
});

test('metadata may contain any JSON', async ({ service }) => {
  const metadata = { ['__proto__x']: 1, nul: '\u0000', lone: '\ud800', deep: { a: [null, 1.5, { b: '' }] } };
  const id = await service.webhook.submit({ message: 'say x', metadata });
  expect((await service.webhook.job(id)).metadata).toEqual(metadata);
});

test('a webhook user is not the gateway user of that name', async ({ service }) => {
  const id = await service.webhook.submit({ user_id: 'operator', message: 'say private' });
  await service.webhook.completed(id);
  const jobs = (await (await service.request('/api/jobs')).json()) as { jobs: { id: string; user_id: string }[] };

  expect(jobs.jobs.find((job) => job.id === id)?.user_id).toBe('webhook:operator');
});

test('the operator lists jobs, newest first, in pages', async ({ service }) => {
  const sent = [];
  for (let index = 0; index < 3; index++) sent.push(await service.webhook.submit({ message: 'say x' }));
  const page = async (query: string) =>
    (await (await service.request(`/api/jobs?${query}`)).json()) as { jobs: { id: string }[]; next_cursor: string };

  const first = await page('limit=2');
  expect(first.jobs.map((job) => job.id)).toEqual([sent[2], sent[1]]);
  expect((await page(`limit=1&cursor=${first.next_cursor}`)).jobs.map((job) => job.id)).toEqual([sent[0]]);
  expect((await service.request('/api/jobs?status=lost')).status).toBe(400);
  expect((await service.request('/api/jobs?limit=0')).status).toBe(400);
});

test('jobs survive a restart', async ({ service, startAnother }) => {
  const id = await service.webhook.submit({ message: 'count 5 every 100' });
  await service.close();
  const restarted = await startAnother();

  expect((await restarted.webhook.completed(id)).response).toContain('4');
});

test('two addresses do not share a window, and the limit holds across replicas', async ({ startAnother }) => {
  const limited = { WEBHOOK_RATE_PER_MINUTE: '7' };
  const [one, two] = await Promise.all([startAnother(limited), startAnother(limited)]);
  const ask = (url: string, localAddress: string, headers: Record<string, string> = {}) =>
    statusOf(`${url}/jobs/nonsense`, localAddress, headers);

  const seen = [];
  for (let index = 0; index < 8; index++) {
    const replica = index % 2 ? one : two;
    seen.push(await ask(replica.webhook.url, '127.0.0.8', { 'x-forwarded-for': `10.0.0.${index}` }));
  }
  expect(seen.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 429]);
  expect(Number(seen[7]?.retryAfter)).toBeGreaterThan(0);
  expect((await ask(one.webhook.url, '127.0.0.8')).status).toBe(429);
  expect((await ask(one.webhook.url, '127.0.0.9')).status).toBe(404);
  expect(await statusOf(`${one.webhook.url}/healthz`, '127.0.0.8', {})).toMatchObject({ status: 200 });
  await Promise.all([one.close(), two.close()]);
});

test('behind a trusted proxy the client address comes from the proxy', async ({ startAnother }) => {
  const proxied = await startAnother({ WEBHOOK_RATE_PER_MINUTE: '2', TRUSTED_PROXIES: '127.0.0.7' });
  const ask = async (localAddress: string, client: string) =>
    (await statusOf(`${proxied.webhook.url}/jobs/nonsense`, localAddress, { 'x-forwarded-for': client })).status;

  expect([await ask('127.0.0.7', '203.0.113.1'), await ask('127.0.0.7', '203.0.113.1')]).toEqual([404, 404]);
  expect(await ask('127.0.0.7', '203.0.113.1')).toBe(429);
  expect(await ask('127.0.0.7', '203.0.113.2')).toBe(404);
  expect(await ask('127.0.0.6', '203.0.113.1')).toBe(404); // not a trusted proxy, so its own address counts
  await proxied.close();
});

/** Sends a request from one of loopback's many addresses. */
function statusOf(url: string, localAddress: string, headers: Record<string, string>) {
  return new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
    const sent = httpRequest(
      url,
      { localAddress, agent: false, headers: { 'x-webhook-secret': WEBHOOK_SECRET, ...headers } },
      (answer) => {
        void text(answer).then(() =>
          resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
