import { expect } from 'vitest';
import { githubHeaders, readEvent, stripeHeaders } from '../../support/foreign-event.ts';
import { journey } from '../../support/journey.ts';
import { byOthers, createPost, obey, order, reasonToAsk } from '../../support/obeying-model.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, WEBHOOK_SECRET } from '../../support/service.ts';

const GITHUB_SECRET = 'github-secret-of-the-tests';
const STRIPE_SECRET = 'whsec_stripe-secret-of-the-tests';

const reborn = (env: Record<string, string>, args: readonly string[], input?: string) =>
  runReborn(['webhook', ...args], { env, ...(input !== undefined && { input }) });

const { tool: post, posted } = createPost();

const test = journey()
  .override('modelOptions', { decide: obey })
  .override('parts', { tools: [post] })
  .override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET })
  .override('service', async ({ env, startAnother }) => {
    const service = await startAnother();
    const remote = { ...env, ...service.remote };
    const message = 'recite the issue {{issue.title}} by {{sender.login}}';
    const issues = ['--verify', 'github', '--user', 'triage', '--message', message];
    const conversation = ['--conversation', 'issue-{{issue.number}}'];
    await expectDone(reborn(remote, ['route', 'add', 'issues', ...issues, ...conversation], `${GITHUB_SECRET}\n`));
    const billing = ['--verify', 'stripe', '--user', 'billing', '--message', 'say paid: {{type}}'];
    await expectDone(reborn(remote, ['route', 'add', 'billing', ...billing], STRIPE_SECRET));
    const triage = ['--verify', 'github', '--user', 'triage', '--message', 'Triage this: {{issue.body}}'];
    await expectDone(reborn(remote, ['route', 'add', 'triage', ...triage], `${GITHUB_SECRET}\n`));
    return service;
  });

test('a GitHub issue becomes a job, and its text reaches the model as untrusted data', async ({ service }) => {
  const body = await readEvent('github-issues-opened');
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-1');
  const job = await service.webhook.completed(await accepted(service, 'issues', body, headers));
  const { issue } = JSON.parse(body.toString()) as { issue: { title: string; number: number } };

  expect(job.response).toContain('<untrusted-data source=');
  expect(job.response).toContain(issue.title);
  expect(job).toMatchObject({ conversation_id: `issue-${issue.number}`, metadata: { route: 'issues' } });
});

test('an event that gives an order makes the agent ask before it acts', async ({ service, home }) => {
  const body = Buffer.from(JSON.stringify({ issue: { body: order('event'), number: 1 }, sender: { login: 'eve' } }));
  await accepted(service, 'triage', body, githubHeaders(GITHUB_SECRET, body, 'issues', 'd-8'));

  expect(await reasonToAsk(home, 'event')).toMatchObject(byOthers('triage'));
  expect(posted).toEqual([]);
});

test('a repeated delivery is the same job, and a changed or wrongly signed one is refused', async ({ service }) => {
  const body = await readEvent('github-issues-opened');
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-2');
  const id = await accepted(service, 'issues', body, headers);

  expect(await accepted(service, 'issues', body, headers)).toBe(id);
  expect((await deliver(service, 'issues', Buffer.concat([body, Buffer.from(' ')]), headers)).status).toBe(401);
  const forged = await deliver(service, 'issues', body, githubHeaders('another', body, 'issues', 'd-3'));
  expect(forged.status).toBe(401);
  expect(await forged.json()).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_secret' } });
  expect((await deliver(service, 'issues', body, { 'content-type': 'application/json' })).status).toBe(401);
});

test('a repeated GitHub delivery is the same job after any time, because its signature never expires', async ({
  service,
  home,
}) => {
  const body = Buffer.from(JSON.stringify({ issue: { title: 'once', number: 77 }, sender: { login: 'ann' } }));
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-77');
  const id = await accepted(service, 'issues', body, headers);
  await service.webhook.completed(id);
  await home.query(
    `update idempotency_keys set created_at = now() - interval '400 days' where key like 'event:issues:%'`,
  );

  expect(await (await deliver(service, 'issues', body, headers)).json()).toMatchObject({
    job_id: id,
    status: 'completed',
  });

  await home.query('delete from threads where id = (select thread_id from jobs where id = $1)', [id]);
  await home.query('delete from jobs where id = $1', [id]);
  expect((await deliver(service, 'issues', body, headers)).status).toBe(409);
});

test('a GitHub ping creates no job', async ({ service }) => {
  const body = await readEvent('github-ping');
  const answer = await deliver(service, 'issues', body, githubHeaders(GITHUB_SECRET, body, 'ping', 'd-4'));

  expect(await answer.json()).toEqual({ status: 'ignored' });
});

test('a fresh Stripe event is accepted, and an old one is refused', async ({ service }) => {
  const body = await readEvent('stripe-invoice-paid');
  const id = await accepted(service, 'billing', body, stripeHeaders([STRIPE_SECRET], body, new Date()));
  expect((await service.webhook.completed(id)).response).toContain('paid: ');

  const old = new Date(Date.now() - 6 * 60_000);
  expect((await deliver(service, 'billing', body, stripeHeaders([STRIPE_SECRET], body, old))).status).toBe(401);
  expect(await accepted(service, 'billing', body, stripeHeaders([STRIPE_SECRET], body, new Date()))).toBe(id);
});

test('an unknown route is 404, a body that is not JSON is 400, and one over 64 KB is 413', async ({ service }) => {
  const junk = Buffer.from('payload=form');
  expect((await deliver(service, 'nowhere', junk, {})).status).toBe(404);
  expect((await deliver(service, 'issues', junk, githubHeaders(GITHUB_SECRET, junk, 'issues', 'd-5'))).status).toBe(
    400,
  );
  const large = Buffer.alloc(65_537, ' ');
  expect((await deliver(service, 'issues', large, githubHeaders(GITHUB_SECRET, large, 'issues', 'd-6'))).status).toBe(
    413,
  );
});

test('routes are listed without their secrets, and disappear when removed', async ({ service, env }) => {
  const remote = { ...env, ...service.remote };
  const { stdout } = await expectDone(reborn(remote, ['route', 'list', '--json']));
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'billing', verifier: 'stripe' },
    { name: 'issues', verifier: 'github' },
    { name: 'triage', verifier: 'github' },
  ]);
  expect(stdout).not.toContain(GITHUB_SECRET);

  await expectDone(reborn(remote, ['route', 'remove', 'billing']));
  expect((await deliver(service, 'billing', Buffer.from('{}'), {})).status).toBe(404);
  expect((await reborn(remote, ['route', 'remove', 'billing'])).stderr).toContain('The route "billing" does not exist');
  const again = ['route', 'add', 'issues', '--verify', 'github', '--user', 'x', '--message', 'say x'];
  expect((await reborn(remote, again, 'other')).stderr).toContain('already');
});

test('`reborn webhook test` sends a message and shows its job until it completes', async ({ service, env }) => {
  const { stdout } = await expectDone(reborn(env, ['test', '--url', service.webhook.url, 'say it works']));

  expect(stdout).toMatch(/^job [\da-f-]{36}\n/);
  expect(stdout).toMatch(/\ncompleted\nit works\n$/);
  const failed = await reborn(env, ['test', '--url', service.webhook.url, 'break 400']);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('model_error') });
  expect((await reborn(env, ['test', '--url', 'http://127.0.0.1:1'])).stderr).toContain('Nothing answers');
});

function deliver(service: Service, route: string, body: Buffer, headers: Record<string, string>): Promise<Response> {
  return fetch(`${service.webhook.url}/webhook/events/${route}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

async function accepted(
  service: Service,
  route: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<string> {
  const answer = await deliver(service, route, body, headers);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { job_id: string }).job_id;
}

async function expectDone(run: ReturnType<typeof runReborn>) {
  const done = await run;
  if (done.code !== 0 || done.stderr !== '') throw new Error(done.stderr);
  return done;
}
