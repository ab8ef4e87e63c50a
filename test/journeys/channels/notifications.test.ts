import { expect } from 'vitest';
import { newId } from '#domain/ids.ts';
import { signStandardWebhook } from '#domain/webhook/standard-webhooks.ts';
import type { Tool } from '#tools/tool.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, WEBHOOK_SECRET } from '../../support/service.ts';
import { type Answer, type Asked, startStandIn } from '../../support/stand-in.ts';
import { waitFor } from '../../support/wait-for.ts';

type Endpoint = { id: string; secret: string };
type Listed = {
  id: string;
  type: string;
  target: string;
  created_at: string;
  ended_at: string;
  state: string;
  attempts: number;
  user_id: string;
  last_error: string | null;
};
type Body = { type: string; timestamp: string; data: Record<string, unknown> };

/** The answers of the receivers to the coming requests, by host; 204 once the list is empty. */
const answers = new Map<string, Answer[]>();
const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  call: async () => 'sent',
};

let outside: Awaited<ReturnType<typeof startStandIn>>;
let service: Service;
let ann: TestUser;
let bob: TestUser;

const test = journey().override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });

test.beforeAll(async ({ startAnother }) => {
  outside = await startStandIn(({ host }) => answers.get(host)?.shift() ?? { status: 204, text: '' });
  const deliveries = { delaysSeconds: [0.05, 0.05], requeueAfter: 9 };
  service = await startAnother(
    {},
    { tools: [send], network: outside.network, deliveries, missions: { pollEveryMs: 100 } },
  );
  ann = await addUser(service, 'Ann');
  bob = await addUser(service, 'Bob');
});
test.afterAll(() => outside.close());

const as = (user: TestUser | undefined, route: string, method = 'GET', body?: object) =>
  service.request(route, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    ...(user && { headers: user.headers }),
  });

async function addEndpoint(user: TestUser | undefined, host: string, more: object = {}): Promise<Endpoint> {
  const body = { name: host, url: `https://${host}/hook`, events: ['gate.opened', 'turn.ended'], ...more };
  const added = await as(user, '/api/notifications/endpoints', 'POST', body);
  return (await jsonOf(added)) as Endpoint;
}

const jsonOf = (answer: Response): Promise<unknown> => answer.json();

const chat = async (user: TestUser | undefined, message: string) =>
  (await as(user, '/api/chat', 'POST', { message })).json() as Promise<{ thread_id: string; gate: { id: string } }>;

const receivedBy = (host: string) => outside.asked.filter((each) => each.host === host);
const bodyOf = ({ body }: Asked) => JSON.parse(body) as Body;
const arrived = (host: string, count = 1) =>
  waitFor(`${count} requests to ${host}`, async () => {
    const found = receivedBy(host);
    return found.length >= count ? found : undefined;
  });
const deliveriesOf = async (user: TestUser | undefined, query = '') =>
  ((await (await as(user, `/api/deliveries${query}`)).json()) as { deliveries: Listed[] }).deliveries;

test('a gate is announced once, signed, soon, and without the arguments of the call', async () => {
  const { secret } = await addEndpoint(ann, 'gates.example');
  const { thread_id: thread, gate } = await chat(ann, 'use send {"to": "a secret person"}');
  const [asked] = (await arrived('gates.example')) as [Asked];

  expect(bodyOf(asked)).toMatchObject({
    type: 'gate.opened',
    data: { user_id: ann.id, thread_id: thread, gate_id: gate.id, kind: 'approval', tool: 'send' },
  });
  expect(asked.body).not.toContain('secret person');
  const id = String(asked.headers['webhook-id']);
  const timestamp = Number(asked.headers['webhook-timestamp']);
  expect(asked.headers['webhook-signature']).toBe(signStandardWebhook({ id, timestamp, body: asked.body, secret }));
  const record = await waitFor('the record', async () => {
    const found = (await jsonOf(await as(ann, `/api/deliveries/${id}`))) as Listed;
    return found.state === 'sent' ? found : undefined;
  });
  expect(record).toMatchObject({ type: 'gate.opened', ledger: [{ attempt: 1, outcome: 'sent', status: 204 }] });
  expect(Date.parse(record.ended_at) - Date.parse(record.created_at)).toBeLessThan(5000); // 0.5 s on an idle machine
  expect(receivedBy('gates.example')).toHaveLength(1);
});

test('an external tool that its caller answers is not announced, nor is an attended turn', async () => {
  await addEndpoint(bob, 'bob.example', { turns: 'all' });
  const tools = [{ type: 'function', name: 'look', parameters: {} }];
  await as(bob, '/api/v1/responses', 'POST', { model: 'm', input: 'use look {}', tools });
  await chat(bob, 'say hello');
  await chat(bob, 'use send {}');
  const asked = await arrived('bob.example');

  expect(asked.map((each) => bodyOf(each).type)).toEqual(['gate.opened']);
});

test("an operator is notified of all users' failed webhook turns, in order, and users only of theirs", async () => {
  await addEndpoint(undefined, 'operator.example', { everyone: true });
  for (const message of ['break 400', 'say fine', 'break 400'])
    await waitFor('the job', async () => {
      const id = await service.webhook.submit({ user_id: 'carl', message });
      return waitFor('its end', async () => (await service.webhook.job(id)).status === 'completed');
    });
  const asked = await arrived('operator.example', 2);

  expect(asked.map(bodyOf)).toMatchObject([
    { type: 'turn.ended', data: { user_id: 'webhook:carl', status: 'failed', error: { code: 'model_error' } } },
    { type: 'turn.ended', data: { user_id: 'webhook:carl', status: 'failed' } },
  ]);
  expect(receivedBy('gates.example')).toHaveLength(1);
  const refused = await as(ann, '/api/notifications/endpoints', 'POST', {
    name: 'all',
    url: 'https://ann.example/',
    events: ['turn.ended'],
    everyone: true,
  });
  expect(refused.status).toBe(403);
});

test('an operator hears once a day that a user asks for a higher limit, and no one else does', async () => {
  await addEndpoint(undefined, 'limits.example', { everyone: true, events: ['limit.requested'] });
  await addEndpoint(ann, 'hers.example', { events: ['limit.requested', 'gate.opened'] });
  const ask = async (user: TestUser) => (await as(user, '/api/limits/requests', 'POST')).status;
  expect([await ask(bob), await ask(bob), await ask(ann)]).toEqual([204, 204, 204]);
  await chat(ann, 'use send {}');

  const asked = await arrived('limits.example', 2);
  expect(asked.map((each) => bodyOf(each).data['user_id'])).toEqual([bob.id, ann.id]);
  expect((await arrived('hers.example')).map((each) => bodyOf(each).type)).toEqual(['gate.opened']);
});

test('a receiver that fails is retried, one that asks for time gets it, and the third event waits for both', async () => {
  const { id } = await addEndpoint(ann, 'slow.example');
  answers.set('slow.example', [{ status: 500 }, { status: 429, headers: { 'retry-after': '1' } }]);
  const before = (await deliveriesOf(ann)).length;
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  const asked = await arrived('slow.example', 4);

  expect(new Set(asked.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(asked[3]?.headers['webhook-id']).not.toBe(asked[0]?.headers['webhook-id']);
  const both = await waitFor('both to be recorded', async () => {
    const found = (await deliveriesOf(ann)).slice(0, (await deliveriesOf(ann)).length - before);
    return found.every(({ state }) => state === 'sent') ? found : undefined;
  });
  expect(new Set(both.map(({ attempts }) => attempts))).toEqual(new Set([1, 3]));
});

test('a delivery that is given up is listed as dead, and can be retried over the API and the command line', async ({
  home,
}) => {
  const { id } = await addEndpoint(ann, 'down.example');
  answers.set('down.example', [
    { status: 500 },
    'break-off',
    { status: 503 },
    { status: 500 },
    { status: 500 },
    { status: 500 },
  ]);
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  const findDead = () => waitFor('a dead delivery', async () => (await deliveriesOf(ann, '?state=dead'))[0]);
  const dead = await findDead();
  expect(dead).toMatchObject({ type: 'endpoint.test', attempts: 3, last_error: 'The receiver answered 503.' });
  expect((await as(bob, `/api/deliveries/${dead.id}/retry`, 'POST')).status).toBe(404);
  const metrics = await (await as(undefined, '/metrics')).text();
  expect(metrics).toContain('reborn_deliveries_dead{kind="event"} 1');
  expect(metrics).toContain('reborn_deliveries_dead_last_day{kind="event"} 1');
  expect(metrics).toContain('reborn_deliveries_dead_last_day{kind="push"} 0');
  expect(metrics).toMatch(/reborn_delivery_attempts_total\{kind="event",outcome="failed"\} \d/);

  const retried = await as(ann, `/api/deliveries/${dead.id}/retry`, 'POST');
  expect(await jsonOf(retried)).toMatchObject({ state: 'pending' });
  expect((await as(ann, `/api/deliveries/${dead.id}/retry`, 'POST')).status).toBe(400);
  expect((await findDead()).attempts).toBe(6);

  const list = await runReborn(['delivery', 'list', '--state', 'dead'], { env: service.remote });
  expect(list.stdout).toContain(dead.id);
  const examined = await runReborn(['doctor', '--offline'], { env: home.env });
  expect(examined.stdout).toMatch(
    /deliveries +Given up in the last day: 1 \(event\) for down\.example\. The receiver answered/,
  );
  expect(examined.stdout).toContain('reborn delivery list --state dead');
  expect(examined.stdout).toMatch(/^Problems: \d+, warnings: [1-9]\d*\.$/m);
  expect(await runReborn(['delivery', 'retry', dead.id], { env: service.remote })).toMatchObject({ code: 0 });
  await waitFor(
    'the delivery',
    async () => (await deliveriesOf(ann)).find((each) => each.id === dead.id)?.state === 'sent',
  );
});

test('reborn delivery retry takes several ids, or all that were given up', async () => {
  const retry = (...args: string[]) => runReborn(['delivery', 'retry', ...args], { env: service.remote });
  const { id } = await addEndpoint(ann, 'many.example');
  const listDead = async () => (await deliveriesOf(ann, '?state=dead')).map((each) => each.id);
  const giveUpTwo = async () => {
    answers.set(
      'many.example',
      Array.from({ length: 6 }, () => ({ status: 503 })),
    );
    for (let count = 0; count < 2; count++) await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
    return waitFor('two dead deliveries', async () => {
      const dead = await listDead();
      return dead.length === 2 && dead;
    });
  };
  expect(await retry()).toMatchObject({ code: 1, stderr: expect.stringContaining('--all-dead') });
  expect(await retry('--all-dead')).toMatchObject({ code: 0, stdout: 'No delivery was given up.\n' });

  expect(await retry(...(await giveUpTwo()))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 deliveries are due.'),
  });

  await waitFor('the deliveries', async () => (await listDead()).length === 0);
  const [one = ''] = await giveUpTwo();
  expect(await retry(one, newId(), 'nonsense')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('1 delivery is due.'),
    stderr: expect.stringMatching(
      /^reborn: [0-9a-f-]{36}: This delivery does not exist\.\nreborn: nonsense: This delivery/,
    ),
  });
  expect(await retry('--all-dead')).toMatchObject({ stdout: expect.stringContaining('1 delivery is due.') });
  expect(await listDead()).toEqual([]);
  expect(await retry('--all-dead', one)).toMatchObject({ code: 1, stderr: expect.stringContaining('not both') });
});

/** As the alert on dead deliveries sees them: all, and in the last day. */
const findCounts = async () => {
  const metrics = await (await as(undefined, '/metrics')).text();
  return [...metrics.matchAll(/^reborn_deliveries_dead(?:_last_day)?\{kind="event"\} (\d+)$/gm)].map(
    ([, count]) => count,
  );
};

test('dead deliveries of an earlier day, or of a removed endpoint, raise no alarm', async ({ home }) => {
  expect(await findCounts()).toEqual(['0', '0']);
  const { id } = await addEndpoint(ann, 'removed.example');
  answers.set('removed.example', [{ status: 500 }, { status: 500 }, { status: 500 }]);
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  await waitFor('a dead delivery', async () => (await findCounts()).every((count) => count === '1'));

  await home.query(`update deliveries set ended_at = now() - interval '25 hours' where target = $1`, [
    `endpoint:${id}`,
  ]);
  expect(await findCounts()).toEqual(['1', '0']);
  const replicas = await jsonOf(await as(undefined, '/api/replicas'));
  expect(replicas).toMatchObject({ deliveries: { open: 0, dead: 1, dead_last_day: 0 } });
  const examined = await runReborn(['doctor', '--offline'], { env: home.env });
  expect(examined.stdout).toMatch(
    /ok +deliveries +No failed deliveries in the last 24 hours\. 0 open, 1 failed earlier\./,
  );
  await as(ann, `/api/notifications/endpoints/${id}`, 'DELETE');
  expect(await findCounts()).toEqual(['0', '0']);
});

test('an endpoint that answers 410 gets nothing any more', async () => {
  const { id } = await addEndpoint(ann, 'gone.example');
  answers.set('gone.example', [{ status: 410 }]);
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  await arrived('gone.example');
  const read = async () => jsonOf(await as(ann, '/api/notifications'));
  await waitFor('the endpoint to be off', async () => JSON.stringify(await read()).includes('"gone_at":"2'));
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  await chat(ann, 'use send {}');
  await arrived('gates.example', 2);

  expect(receivedBy('gone.example')).toHaveLength(1);
  expect(await findCounts()).toEqual(['0', '0']); // its owner has decided so
});

test.for(['http://a.example/', 'https://u:p@a.example/', 'https://a.example:8443/', 'ftp://a.example/', 'nonsense'])(
  'an endpoint at %s is refused',
  async (url) => {
    const refused = await as(ann, '/api/notifications/endpoints', 'POST', { name: 'x', url, events: ['gate.opened'] });

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'url' } });
  },
);

test('an endpoint whose host has a private address is not called', async () => {
  const { id } = await addEndpoint(ann, '169.254.169.254');
  await as(ann, `/api/notifications/endpoints/${id}/test`, 'POST');
  const dead = await waitFor('it to be given up', async () =>
    (await deliveriesOf(ann, '?state=dead')).find(({ target }) => target === `endpoint:${id}`),
  );

  expect(dead.last_error).toContain('IP address');
  expect(receivedBy('169.254.169.254')).toEqual([]);
  expect((await as(ann, `/api/notifications/endpoints/${id}`, 'DELETE')).status).toBe(204);
});

test('in quiet hours a gate waits, and the endpoints of others stay unseen', async () => {
  const quiet_hours = { from: '00:00', until: '23:59', time_zone: 'Nowhere/Land' };
  expect((await as(bob, '/api/notifications/preferences', 'PUT', { quiet_hours })).status).toBe(400);
  const minute = (offset: number) => new Date(Date.now() + offset * 60_000).toISOString().slice(11, 16);
  const now = { from: minute(-5), until: minute(60), time_zone: 'UTC' };
  const put = await as(bob, '/api/notifications/preferences', 'PUT', { quiet_hours: now });
  expect(await jsonOf(put)).toEqual({ quiet_hours: now });
  await chat(bob, 'use send {"in": "the night"}');
  const [waiting] = await waitFor('the delivery', async () => {
    const found = await deliveriesOf(bob, '?state=pending');
    return found.length > 0 ? found : undefined;
  });

  expect(waiting).toMatchObject({ type: 'gate.opened', attempts: 0 });
  const { endpoints } = (await (await as(bob, '/api/notifications')).json()) as { endpoints: { name: string }[] };
  expect(endpoints.map(({ name }) => name)).toEqual(['bob.example']);
  expect((await deliveriesOf(bob)).every(({ user_id }) => user_id === bob.id)).toBe(true);
  expect((await deliveriesOf(undefined)).some(({ user_id }) => user_id === bob.id)).toBe(true);
});

test('an endpoint with results gets what a run of its owner said, and others do not', async () => {
  const dan = await addUser(service, 'Dan');
  const events = ['mission.completed'];
  await addEndpoint(dan, 'results.example', { events, results: true });
  await addEndpoint(dan, 'quiet.example', { events });
  await addEndpoint(undefined, 'all.example', { events, everyone: true });
  const both = { name: 'x', url: 'https://x.example', events, everyone: true, results: true };
  expect((await as(undefined, '/api/notifications/endpoints', 'POST', both)).status).toBe(400);
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const made = await as(dan, '/api/missions', 'POST', { name: 'daily', instruction: 'say all is well', schedule });
  const { id } = (await jsonOf(made)) as { id: string };
  await as(dan, `/api/missions/${id}/run`, 'POST');

  const results = await Promise.all(
    ['results.example', 'quiet.example', 'all.example'].map(async (host) => {
      const [first] = (await arrived(host)).map(bodyOf);
      return [first?.data['name'], first?.data['result']];
    }),
  );
  expect(results).toEqual([
    ['daily', 'all is well'],
    ['daily', undefined],
    ['daily', undefined],
  ]);
});

test('failures of a mission are announced sparingly, its pause always, and a silent run never', async ({ home }) => {
  const cid = await addUser(service, 'Cid');
  const events = ['mission.failed', 'mission.paused', 'mission.completed', 'gate.opened'];
  await addEndpoint(cid, 'missions.example', { events });
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const create = async (instruction: string, more: object = {}) => {
    const made = await as(cid, '/api/missions', 'POST', { name: instruction, instruction, schedule, ...more });
    return ((await jsonOf(made)) as { id: string }).id;
  };
  const run = async (id: string) => {
    const { slot } = (await jsonOf(await as(cid, `/api/missions/${id}/run`, 'POST'))) as { slot: string };
    await waitFor('the run to end', async () => {
      const listed = await jsonOf(await as(cid, `/api/missions/${id}/occurrences`));
      const { occurrences } = listed as { occurrences: { slot: string; status: string }[] };
      return occurrences.some((each) => each.slot === slot && ['completed', 'failed', 'waiting'].includes(each.status));
    });
  };
  const breaks = await create('break 400', { pause_after: 10 });
  await run(breaks);
  await home.query('update missions set failures = 8 where id = $1', [breaks]);
  await run(breaks); // the ninth
  await run(breaks);
  await run(await create('use mission_no_result {}'));
  await run(await create('say done'));
  await run(await create('use send {}'));

  const asked = (await arrived('missions.example', 5)).map(bodyOf);
  const about = asked.map(({ type, data }) => [type, data['name'] ?? data['tool'], data['failures'] ?? data['reason']]);
  const failed = about.slice(0, 3);
  expect(failed[0]).toEqual(['mission.failed', 'break 400', 1]);
  expect(failed).toContainEqual(['mission.failed', 'break 400', 10]);
  expect(failed).toContainEqual(['mission.paused', 'break 400', 'repeated_failure']);
  expect(about.slice(3)).toEqual([
    ['mission.completed', 'say done', 0],
    ['gate.opened', 'send', undefined],
  ]);
});
