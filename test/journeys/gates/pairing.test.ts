import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, TOKEN, WEBHOOK_SECRET } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A tool that needs a user's credential and says whose credential it used. */
const signedIn = new Set(['operator']);
const vault: Tool = {
  definition: { name: 'vault', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level: 'allow',
  needsSignIn: async ({ userId }) => !signedIn.has(userId),
  call: async (_argumentsJson, { owner, secretsOf }) => `${owner.userId} with the secrets of ${secretsOf.userId}`,
};

const test = journey().override({ settings: { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }, parts: { tools: [vault] } });

test("once the operator pairs them, a webhook user uses a user's secrets and keeps separate threads", async ({
  service,
  home,
}) => {
  const { id, gate } = await waitingJob(service, home, 'triage', 'pairing');
  expect((await answer(service, gate, { answer: 'approve', user_id: 'operator' })).status).toBe(202);

  const paired = 'result: webhook:triage with the secrets of operator';
  expect((await service.webhook.completed(id)).response).toBe(paired);
  const next = await service.webhook.submit({ user_id: 'triage', message: 'use vault {}' });
  expect((await service.webhook.completed(next)).response).toBe(paired);
  const owners = await home.query('select distinct user_id from threads union select distinct user_id from items');
  expect(owners).toEqual([{ user_id: 'webhook:triage' }]);
});

test.for([{}, { user_id: '' }, { user_id: '*' }, { user_id: 'webhook' }, { user_id: 'webhook:triage' }])(
  '%j does not name a user with whom a webhook user can be paired',
  async (named, { service, home }) => {
    const { gate } = await waitingJob(service, home, `nobody-${JSON.stringify(named).length}`, 'pairing');

    expect((await answer(service, gate, { answer: 'approve', ...named })).status).toBe(400);
    expect((await answer(service, gate, { answer: 'always', ...named })).status).toBe(400);
    expect(await home.query('select from gates where id = $1 and answered_at is null', [gate])).toHaveLength(1);
  },
);

test('a webhook user paired with a user who has not signed in waits for the sign-in', async ({ service, home }) => {
  const { id, gate } = await waitingJob(service, home, 'early', 'pairing');
  await answer(service, gate, { answer: 'approve', user_id: 'carol' });
  const auth = await gateOf(home, id, 'auth');

  signedIn.add('carol');
  await answer(service, auth, { answer: 'approve' });
  expect((await service.webhook.completed(id)).response).toContain('with the secrets of carol');
});

test('a denial creates no pairing', async ({ service, home }) => {
  const { id, gate } = await waitingJob(service, home, 'unwanted', 'pairing');
  await answer(service, gate, { answer: 'deny', reason: 'Who are you?' });

  expect((await service.webhook.completed(id)).response).toContain('Who are you?');
  expect(await pairings(service)).not.toContainEqual(expect.objectContaining({ user_id: 'webhook:unwanted' }));
});

test('pairings can be listed and removed, by API and by command', async ({ service, home }) => {
  for (const user of ['one', 'two'])
    await answer(service, (await waitingJob(service, home, user, 'pairing')).gate, {
      answer: 'approve',
      user_id: 'operator',
    });
  const pairing = { user_id: 'webhook:one', paired_user_id: 'operator', created_at: expect.any(String) };
  expect(await pairings(service)).toContainEqual(pairing);

  expect([await unpair(service, 'webhook:one'), await unpair(service, 'webhook:one')]).toEqual([204, 404]);
  const { stdout } = await runReborn(['pairing', 'list'], { env: service.remote });
  expect(stdout).toMatch(/^webhook:two +operator$/m);
  expect(stdout).not.toContain('webhook:one');
  expect(await runReborn(['pairing', 'remove', 'webhook:two'], { env: service.remote })).toMatchObject({ code: 0 });
  await waitingJob(service, home, 'one', 'pairing');
  await waitingJob(service, home, 'two', 'pairing');
});

async function waitingJob(
  service: Service,
  home: Home,
  user_id: string,
  kind: string,
): Promise<{ id: string; gate: string }> {
  const id = await service.webhook.submit({ user_id, message: 'use vault {}' });
  return { id, gate: await gateOf(home, id, kind) };
}

/** The gate that the job waits for. */
function gateOf(home: Home, job: string, kind: string): Promise<string> {
  return waitFor(`a gate of kind ${kind}`, async () => {
    const [gate] = await home.query<{ id: string }>(
      `select gates.id from gates join jobs on jobs.turn_id = gates.turn_id
       where jobs.id = $1 and kind = $2 and answered_at is null`,
      [job, kind],
    );
    return gate?.id;
  });
}

const answer = (service: Service, gate: string, body: object) =>
  service.request(`/api/gates/${gate}`, { method: 'POST', body: JSON.stringify(body) });

async function pairings(service: Service): Promise<object[]> {
  return ((await (await service.request('/api/pairings')).json()) as { pairings: object[] }).pairings;
}

async function unpair(service: Service, user: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return (await fetch(`${service.url}/api/pairings/${encodeURIComponent(user)}`, { method: 'DELETE', headers })).status;
}
