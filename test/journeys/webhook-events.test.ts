import { afterAll, beforeAll, expect, test } from 'vitest';
import { githubHeaders, readEvent, stripeHeaders } from '../support/foreign-event.ts';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, WEBHOOK_SECRET } from '../support/service.ts';

const GITHUB_SECRET = 'github-secret-of-the-tests';
const STRIPE_SECRET = 'whsec_stripe-secret-of-the-tests';

let model: Awaited<ReturnType<typeof startScriptedModel>>;
let home: Awaited<ReturnType<typeof freshHome>>;
let service: Awaited<ReturnType<typeof startService>>;
let env: Record<string, string>;
const reborn = (args: readonly string[], input?: string) =>
  runReborn(['webhook', ...args], { env, ...(input !== undefined && { input }) });

beforeAll(async () => {
  [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
  env = {
    ...home.env,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
  };
  service = await startService(env);
  const message = 'recite the issue {{issue.title}} by {{sender.login}}';
  const issues = ['--verify', 'github', '--user', 'triage', '--message', message];
  const conversation = ['--conversation', 'issue-{{issue.number}}'];
  await expectDone(reborn(['route', 'add', 'issues', ...issues, ...conversation], `${GITHUB_SECRET}\n`));
  const billing = ['--verify', 'stripe', '--user', 'billing', '--message', 'say paid: {{type}}'];
  await expectDone(reborn(['route', 'add', 'billing', ...billing], STRIPE_SECRET));
});

afterAll(async () => {
  await service.close();
  await Promise.all([model.close(), home.remove()]);
});

test('an issue at GitHub becomes a job, and its words reach the model as untrusted data', async () => {
  const body = await readEvent('github-issues-opened');
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-1');
  const job = await service.webhook.completed(await accepted('issues', body, headers));
  const { issue } = JSON.parse(body.toString()) as { issue: { title: string; number: number } };

  expect(job.response).toContain('<untrusted-data source=');
  expect(job.response).toContain(issue.title);
  expect(job).toMatchObject({ conversation_id: `issue-${issue.number}`, metadata: { route: 'issues' } });
});

test('a delivery that comes again is the same job; one that was changed, or signed by another, is refused', async () => {
  const body = await readEvent('github-issues-opened');
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-2');
  const id = await accepted('issues', body, headers);

  expect(await accepted('issues', body, headers)).toBe(id);
  expect((await deliver('issues', Buffer.concat([body, Buffer.from(' ')]), headers)).status).toBe(401);
  const forged = await deliver('issues', body, githubHeaders('another', body, 'issues', 'd-3'));
  expect(forged.status).toBe(401);
  expect(await forged.json()).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_secret' } });
  expect((await deliver('issues', body, { 'content-type': 'application/json' })).status).toBe(401);
});

test('a delivery of GitHub is the same job after any time, for its signature never expires', async () => {
  const body = Buffer.from(JSON.stringify({ issue: { title: 'once', number: 77 }, sender: { login: 'ann' } }));
  const headers = githubHeaders(GITHUB_SECRET, body, 'issues', 'd-77');
  const id = await accepted('issues', body, headers);
  await service.webhook.completed(id);
  await home.query(
    `update idempotency_keys set created_at = now() - interval '400 days' where key like 'event:issues:%'`,
  );

  expect(await (await deliver('issues', body, headers)).json()).toMatchObject({ job_id: id, status: 'completed' });

  await home.query('delete from threads where id = (select thread_id from jobs where id = $1)', [id]);
  await home.query('delete from jobs where id = $1', [id]);
  expect((await deliver('issues', body, headers)).status).toBe(409);
});

test('a ping of GitHub asks for nothing', async () => {
  const body = await readEvent('github-ping');
  const answer = await deliver('issues', body, githubHeaders(GITHUB_SECRET, body, 'ping', 'd-4'));

  expect(await answer.json()).toEqual({ status: 'ignored' });
});

test('an event of Stripe is taken while it is fresh, and an old one is not', async () => {
  const body = await readEvent('stripe-invoice-paid');
  const id = await accepted('billing', body, stripeHeaders([STRIPE_SECRET], body, new Date()));
  expect((await service.webhook.completed(id)).response).toContain('paid: ');

  const old = new Date(Date.now() - 6 * 60_000);
  expect((await deliver('billing', body, stripeHeaders([STRIPE_SECRET], body, old))).status).toBe(401);
  expect(await accepted('billing', body, stripeHeaders([STRIPE_SECRET], body, new Date()))).toBe(id);
});

test('an unknown route is 404, a body that is no JSON 400, one over 64 KB 413', async () => {
  const junk = Buffer.from('payload=form');
  expect((await deliver('nowhere', junk, {})).status).toBe(404);
  expect((await deliver('issues', junk, githubHeaders(GITHUB_SECRET, junk, 'issues', 'd-5'))).status).toBe(400);
  const large = Buffer.alloc(65_537, ' ');
  expect((await deliver('issues', large, githubHeaders(GITHUB_SECRET, large, 'issues', 'd-6'))).status).toBe(413);
});

test('routes are listed without their secrets, and gone once removed', async () => {
  const { stdout } = await expectDone(reborn(['route', 'list', '--json']));
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'billing', verifier: 'stripe' },
    { name: 'issues', verifier: 'github' },
  ]);
  expect(stdout).not.toContain(GITHUB_SECRET);

  await expectDone(reborn(['route', 'remove', 'billing']));
  expect((await deliver('billing', Buffer.from('{}'), {})).status).toBe(404);
  expect((await reborn(['route', 'remove', 'billing'])).stderr).toContain('There is no route "billing"');
  const again = ['route', 'add', 'issues', '--verify', 'github', '--user', 'x', '--message', 'say x'];
  expect((await reborn(again, 'other')).stderr).toContain('already');
});

test('`reborn webhook test` sends a message and shows its job until it is completed', async () => {
  const { stdout } = await expectDone(reborn(['test', '--url', service.webhook.url, 'say it works']));

  expect(stdout).toMatch(/^job [\da-f-]{36}\n/);
  expect(stdout).toMatch(/\ncompleted\nit works\n$/);
  const failed = await reborn(['test', '--url', service.webhook.url, 'break 400']);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('model_error') });
  expect((await reborn(['test', '--url', 'http://127.0.0.1:1'])).stderr).toContain('Nothing answers');
});

function deliver(route: string, body: Buffer, headers: Record<string, string>): Promise<Response> {
  return fetch(`${service.webhook.url}/webhook/events/${route}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

async function accepted(route: string, body: Buffer, headers: Record<string, string>): Promise<string> {
  const answer = await deliver(route, body, headers);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { job_id: string }).job_id;
}

async function expectDone(run: ReturnType<typeof runReborn>) {
  const done = await run;
  if (done.code !== 0 || done.stderr !== '') throw new Error(done.stderr);
  return done;
}
