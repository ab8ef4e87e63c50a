import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { addUser } from '../../support/accounts.ts';
import { createHeldTool } from '../../support/held-tool.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { type Service, WEBHOOK_SECRET, warningsOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Mission = {
  id: string;
  state: string;
  pause_reason: string | null;
  next_due_at: string;
  failures: number;
  thread_id: string;
};
type Run = { slot: string; status: string; reason: string | null; thread_id: string; turn_id: string; tokens: number };

const definition = { description: null, parameters: { type: 'object' }, strict: null };
const send: Tool = {
  definition: { ...definition, name: 'send' },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  call: async () => 'sent',
};
const read: Tool = {
  definition: { ...definition, name: 'read' },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level: 'allow',
  call: async () => 'read',
};

const step = createHeldTool();

const test = journey()
  .override('settings', { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET })
  .override('parts', { tools: [send, read, step.tool], missions: { pollEveryMs: 50 } });

type Answered = { readonly httpStatus: number };

async function call<T>(service: Service, method: string, route: string, body?: object, headers = {}): Promise<T> {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { httpStatus: response.status, ...(text && (JSON.parse(text) as object)) } as T;
}

const LATER = { at: '2999-01-01T00:00', time_zone: 'UTC' };
const create = (service: Service, more: object) =>
  call<Mission & { httpStatus: number }>(service, 'POST', '/api/missions', {
    name: 'm',
    instruction: 'say hello',
    schedule: LATER,
    ...more,
  });
const runsOf = async (service: Service, id: string) =>
  (await call<{ occurrences: Run[] }>(service, 'GET', `/api/missions/${id}/occurrences`)).occurrences;

/** Starts a run by hand, and waits until it has the status. */
async function runUntil(service: Service, id: string, status: string): Promise<Run> {
  const { slot } = await call<Run>(service, 'POST', `/api/missions/${id}/run`);
  return waitFor(`a run to be ${status}`, async () =>
    (await runsOf(service, id)).find((run) => run.slot === slot && run.status === status),
  );
}

async function approve(service: Service, threadId: string): Promise<void> {
  await waitFor('the approval to be accepted', async () => {
    const { gates } = await call<{ gates: { id: string; thread_id: string }[] }>(service, 'GET', '/api/gates');
    const gate = gates.find(({ thread_id: id }) => id === threadId);
    if (!gate) return undefined;
    const { httpStatus } = await call<Answered>(service, 'POST', `/api/gates/${gate.id}`, { answer: 'approve' });
    return httpStatus === 202;
  });
}

test('a mission that is due runs once, and its result is in its thread', async ({ service, home }) => {
  const made = await create(service, { schedule: { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' } });
  expect(made).toMatchObject({
    httpStatus: 201,
    state: 'active',
    schedule_words: 'at 08:00, Monday to Friday (Europe/Oslo)',
  });
  await home.query(`update missions set next_due_at = date_trunc('second', now()) where id = '${made.id}'`);

  const run = await waitFor('the run', async () =>
    (await runsOf(service, made.id)).find(({ status }) => status === 'completed'),
  );
  expect(run).toMatchObject({ reason: null, thread_id: expect.any(String) });
  const thread = await (await service.request(`/api/threads/${run.thread_id}/items`)).text();
  expect(thread).toContain('hello');
  const again = await call<Mission>(service, 'GET', `/api/missions/${made.id}`);
  expect(Date.parse(again.next_due_at)).toBeGreaterThan(Date.now());
  expect(again.thread_id).toBe(run.thread_id);
  const { missions } = await call<{ missions: (Mission & { last_run: Run })[] }>(service, 'GET', '/api/missions');
  expect(missions.find(({ id }) => id === made.id)?.last_run).toEqual(run);
});

test('runs share a thread or have new ones, and a deleted thread is replaced', async ({ service }) => {
  const same = await create(service, { thread: 'same' });
  const first = await runUntil(service, same.id, 'completed');
  expect((await runUntil(service, same.id, 'completed')).thread_id).toBe(first.thread_id);
  await service.request(`/api/threads/${first.thread_id}`, { method: 'DELETE' });
  expect((await runUntil(service, same.id, 'completed')).thread_id).not.toBe(first.thread_id);

  const fresh = await create(service, { thread: 'new' });
  const runs = [await runUntil(service, fresh.id, 'completed'), await runUntil(service, fresh.id, 'completed')];
  expect(new Set(runs.map(({ thread_id: id }) => id)).size).toBe(2);
});

test('a repeated request to run has one run', async ({ service }) => {
  const { id } = await create(service, {});
  const headers = { 'idempotency-key': 'once' };
  const runs = await Promise.all(
    [1, 2, 3].map(() => call<Run>(service, 'POST', `/api/missions/${id}/run`, undefined, headers)),
  );
  expect(new Set(runs.map(({ slot }) => slot)).size).toBe(1);
  await waitFor('the run', async () => (await runsOf(service, id))[0]?.status === 'completed');
  expect(await runsOf(service, id)).toHaveLength(1);
});

test('failed runs in a row pause the mission, and a change resumes the count from zero', async ({ service }) => {
  const { id } = await create(service, { instruction: 'break 400', pause_after: 2 });
  expect(await runUntil(service, id, 'failed')).toMatchObject({ reason: 'model_error' });
  await runUntil(service, id, 'failed');
  expect(await call(service, 'GET', `/api/missions/${id}`)).toMatchObject({
    state: 'paused',
    pause_reason: 'repeated_failure',
    failures: 2,
    next_due_at: null,
  });
  await call(service, 'PATCH', `/api/missions/${id}`, { instruction: 'say fixed' });
  const resumed = await call(service, 'POST', `/api/missions/${id}/resume`);
  expect(resumed).toMatchObject({ state: 'active', failures: 0, next_due_at: '2999-01-01T00:00:00.000Z' });
  await runUntil(service, id, 'completed');
});

test('a run that waits at a gate counts as running: the next one is skipped, queued, or takes its place', async ({
  service,
}) => {
  const instruction = 'use send {}';
  const skips = await create(service, { instruction, overlap: 'skip' });
  const waiting = await runUntil(service, skips.id, 'waiting');
  expect(await runUntil(service, skips.id, 'skipped')).toMatchObject({ reason: 'overlap' });

  await approve(service, waiting.thread_id);
  const [, done] = await waitFor('the run to end', async () => {
    const runs = await runsOf(service, skips.id);
    return runs[1]?.status === 'completed' ? runs : undefined;
  });
  expect(done?.turn_id).not.toBe(waiting.turn_id);

  const queues = await create(service, { instruction, overlap: 'queue', thread: 'new' });
  await runUntil(service, queues.id, 'waiting');
  await call(service, 'POST', `/api/missions/${queues.id}/run`);
  await runUntil(service, queues.id, 'skipped'); // a queue holds one
  expect((await runsOf(service, queues.id)).map(({ status }) => status)).toEqual(['skipped', 'due', 'waiting']);

  const replaces = await create(service, { instruction, overlap: 'cancel', thread: 'new' });
  await runUntil(service, replaces.id, 'waiting');
  await runUntil(service, replaces.id, 'waiting');
  expect((await runsOf(service, replaces.id))[1]).toMatchObject({ status: 'cancelled', reason: 'overlap' });
  const slow = await create(service, { instruction: 'count 5000 every 20', overlap: 'cancel', thread: 'new' });
  await runUntil(service, slow.id, 'running');
  await runUntil(service, slow.id, 'running');
  expect((await runsOf(service, slow.id))[1]).toMatchObject({ status: 'cancelled', reason: 'overlap' });
  await call(service, 'DELETE', `/api/missions/${slow.id}`);
});

test('a run has only the tools and the tokens that its mission allows', async ({ service }) => {
  const { id } = await create(service, { instruction: 'use send {}', tools: ['read'] });
  const run = await runUntil(service, id, 'completed'); // no gate: the tool does not exist for this run
  expect(await (await service.request(`/api/threads/${run.thread_id}/items`)).text()).not.toContain('"sent"');

  const poor = await create(service, { instruction: 'use read {}', tokens_per_run: 1 });
  expect(await runUntil(service, poor.id, 'failed')).toMatchObject({ reason: 'budget_exceeded' });
  const used = await create(service, { instruction: 'say hello', tokens_per_day: 1 });
  await runUntil(service, used.id, 'completed');
  expect(await runUntil(service, used.id, 'skipped')).toMatchObject({ reason: 'budget' });
});

test('the budget of a run covers all of its turns, and a run takes no more than is left of the day', async ({
  service,
}) => {
  const poor = await create(service, { instruction: 'use send {}', tokens_per_run: 1 });
  const waiting = await runUntil(service, poor.id, 'waiting'); // its first call used the budget up
  await approve(service, waiting.thread_id);
  const ended = await waitFor('the run to fail', async () =>
    (await runsOf(service, poor.id)).find(({ status }) => status === 'failed'),
  );
  expect(ended).toMatchObject({ slot: waiting.slot, reason: 'budget_exceeded', tokens: expect.any(Number) });

  const daily = await create(service, { instruction: 'use read {}', tokens_per_day: 1, tokens_per_run: 1_000_000 });
  expect(await runUntil(service, daily.id, 'failed')).toMatchObject({ reason: 'budget_exceeded' });
  const priced = await create(service, { usd_per_run: 0.5, usd_per_day: 2 });
  expect(priced).toMatchObject({ usd_per_run: 0.5, usd_per_day: 2, tokens_per_run: null });
  expect(await create(service, { usd_per_day: 0 })).toMatchObject({ httpStatus: 400, error: { param: 'usd_per_day' } });
});

test('a person corrects a run: its result is the answer to them, within its tools and its budget', async ({
  service,
}) => {
  const correct = async (more: object, message: string, status: string): Promise<Run> => {
    const { id } = await create(service, { instruction: 'use step {}', ...more });
    const { slot } = await call<Run>(service, 'POST', `/api/missions/${id}/run`);
    await step.begun();
    const begun = await waitFor('the run', async () => (await runsOf(service, id)).find((run) => run.thread_id));
    const how = { thread_id: begun?.thread_id, when_busy: 'steer' };
    const sent = await call<Answered>(service, 'POST', '/api/chat/send', { message, ...how });
    expect({ sent, cause: warningsOf(service) }).toMatchObject({ sent: { httpStatus: 202 } });
    step.release();
    return waitFor(`the run to be ${status}`, async () =>
      (await runsOf(service, id)).find((run) => run.slot === slot && run.status === status),
    );
  };
  const run = await correct({ tools: ['step'] }, 'say corrected', 'completed');
  expect(run.tokens).toBe(30); // of both calls of the model
  const turn = await call<{ items: object[] }>(service, 'GET', `/api/turns/${run.turn_id}`);
  expect(JSON.stringify(turn.items)).toContain('corrected');

  const limited = await correct({ tools: ['step'] }, 'use send {}', 'completed'); // no gate: the tool does not exist
  expect(await (await service.request(`/api/threads/${limited.thread_id}/items`)).text()).not.toContain('"sent"');
  expect(await correct({ tokens_per_run: 15 }, 'say more', 'failed')).toMatchObject({ reason: 'budget_exceeded' });
});

test('results of runs are listed, newest first, and count as new until their owner has read them', async ({
  service,
}) => {
  type Result = { mission_name: string; unread: boolean; slot: string; mission_id: string };
  type Page = { results: Result[]; unread: number; next_cursor: string | null };
  const list = (query = '') => call<Page>(service, 'GET', `/api/mission-results${query}`);
  const markRead = async (which: object) => {
    const { status } = await service.request('/api/mission-results/read', {
      method: 'POST',
      body: JSON.stringify(which),
    });
    expect(status).toBe(204);
  };
  await markRead({});
  expect((await list()).unread).toBe(0);

  const prices = await create(service, { name: 'Prices', instruction: 'say One change. Polarlys raised it.' });
  const first = await runUntil(service, prices.id, 'completed');
  const silent = await create(service, { name: 'Silent', instruction: 'use mission_no_result {}' });
  await runUntil(service, silent.id, 'completed');
  const backup = await create(service, { name: 'Backup', instruction: 'break 400' });
  await runUntil(service, backup.id, 'failed');
  const second = await runUntil(service, prices.id, 'completed');

  const { results, unread } = await list('?unread=true');
  expect(unread).toBe(3);
  const answered = { mission_name: 'Prices', status: 'completed', first_sentence: 'One change.', failure: null };
  expect(results).toMatchObject([
    { ...answered, slot: second.slot, thread_id: first.thread_id },
    { mission_name: 'Backup', status: 'failed', first_sentence: null, failure: { code: 'model_error' }, unread: true },
    { ...answered, slot: first.slot, turn_id: first.turn_id },
  ]);
  const pages = [await list('?limit=1')];
  pages.push(await list(`?limit=1&cursor=${pages[0]?.next_cursor}`));
  expect(pages.flatMap((page) => page.results.map(({ slot }) => slot))).toEqual([second.slot, results[1]?.slot]);
  expect((await list('?cursor=1_2_3')) as object).toMatchObject({ httpStatus: 400 });

  await markRead({ mission_id: prices.id, slot: first.slot });
  expect((await list()).unread).toBe(2);
  await markRead({ thread_id: second.thread_id });
  expect((await list('?unread=true')).results.map(({ mission_name: name }) => name)).toEqual(['Backup']);
  await markRead({});
  expect((await list()).results.slice(0, 3).map((result) => result.unread)).toEqual([false, false, false]);
});

test('the thread of a run is called like its mission, and leads to it', async ({ service }) => {
  const { id } = await create(service, { name: 'Morning summary' });
  const { thread_id: thread } = await runUntil(service, id, 'completed');
  const title = async () => (await call<{ title: string }>(service, 'GET', `/api/threads/${thread}`)).title;
  expect(await title()).toBe('Morning summary');
  const { missions } = await call<{ missions: Mission[] }>(service, 'GET', `/api/missions?thread_id=${thread}`);
  expect(missions.map((mission) => mission.id)).toEqual([id]);

  await call(service, 'PATCH', `/api/missions/${id}`, { name: 'Evening summary' });
  await runUntil(service, id, 'completed');
  expect(await title()).toBe('Evening summary');
});

test('a run with nothing to say ends without a message and is in the list', async ({ service }) => {
  const { id } = await create(service, { instruction: 'use mission_no_result {}', tools: ['read'] });
  const run = await runUntil(service, id, 'completed');
  expect(run).toMatchObject({ reason: 'no_result' });
  const { items } = await call<{ items: { type: string; role?: string }[] }>(
    service,
    'GET',
    `/api/threads/${run.thread_id}/items`,
  );
  expect(items.some(({ role }) => role === 'assistant')).toBe(false);
  const talk = await create(service, { instruction: 'say hello' });
  expect(await runUntil(service, talk.id, 'completed')).toMatchObject({ reason: null });

  // A chat has no such tool, so its turn is answered as usual.
  const chat = await service.ask('use mission_no_result {}');
  expect(chat.status).toBe('completed');
  expect(JSON.stringify(chat.output)).toContain('There is no tool named');
});

test('a paused mission is not due, and removing a user ends their missions', async ({ service, home }) => {
  const { id } = await create(service, { schedule: { every_minutes: 5 } });
  expect(await call(service, 'POST', `/api/missions/${id}/pause`)).toMatchObject({
    state: 'paused',
    next_due_at: null,
  });

  const ann = await addUser(service, 'Mission-Ann');
  const hers = await call<Mission>(
    service,
    'POST',
    '/api/missions',
    { name: 'm', instruction: 'say hi', schedule: { every_minutes: 1 } },
    ann.headers,
  );
  await service.request(`/api/users/${ann.id}`, { method: 'DELETE' });
  expect(await home.query(`select state, pause_reason, next_due_at from missions where id = '${hers.id}'`)).toEqual([
    { state: 'ended', pause_reason: 'user_removed', next_due_at: null },
  ]);
  await home.query(
    `insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at)
     select id, now(), user_id, 'manual', 'due', 1, now() from missions where id = $1`,
    [hers.id],
  );
  await waitFor('the run to be skipped', async () =>
    (await home.query<{ reason: string }>('select reason from occurrences where mission_id = $1', [hers.id])).some(
      ({ reason }) => reason === 'user_removed',
    ),
  );
});

test('a drain lets runs end and starts no others until it is over', async ({ service, home }) => {
  const slow = await create(service, { instruction: 'count 30 every 20' });
  await runUntil(service, slow.id, 'running');
  const drained = await runReborn(['mission', 'drain'], { env: service.remote });
  expect(drained.stdout).toMatch(/No run of a mission is under way\./);
  expect((await runsOf(service, slow.id))[0]).toMatchObject({ status: 'completed' });

  const due = await create(service, { schedule: { every_minutes: 60 } });
  await home.query(`update missions set next_due_at = date_trunc('second', now()) where id = $1`, [due.id]);
  await call(service, 'POST', `/api/missions/${slow.id}/run`);
  const after = await runReborn(['mission', 'list'], { env: service.remote });
  expect(after.stdout).toContain('Missions are drained');
  expect(await runsOf(service, due.id)).toEqual([]);
  expect((await runsOf(service, slow.id))[0]).toMatchObject({ status: 'due' });

  expect((await runReborn(['mission', 'drain', '--end'], { env: service.remote })).stdout).toContain(
    'Missions run again.',
  );
  for (const { id } of [due, slow])
    await waitFor('the run', async () => (await runsOf(service, id))[0]?.status === 'completed');
});

test('a mission is due when a turn has ended, and turns of missions start none', async ({ service }) => {
  const ann = await addUser(service, 'Event-Ann');
  const as = <T>(method: string, route: string, body?: object) => call<T>(service, method, route, body, ann.headers);
  const add = (more: object) =>
    as<Mission & { error?: { param: string } }>('POST', '/api/missions', { name: 'm', ...more });
  const listed = async (id: string) =>
    (await as<{ occurrences: (Run & { kind: string })[] }>('GET', `/api/missions/${id}/occurrences`)).occurrences;
  const until = (id: string, status: string) =>
    waitFor(`a run to be ${status}`, async () => (await listed(id)).find((run) => run.status === status));

  const follows = await add({ instruction: 'say noted', schedule: { on_turn_of: 'me' } });
  expect(follows).toMatchObject({
    state: 'active',
    next_due_at: null,
    schedule_words: 'when a turn of yours has ended',
  });
  await as('POST', '/api/chat', { message: 'say good morning' });
  const run = await until(follows.id, 'completed');
  expect(run).toMatchObject({ kind: 'event' });
  const items = JSON.stringify(await as('GET', `/api/threads/${run.thread_id}/items`));
  expect(items).toContain('good morning');
  expect(items).toContain('untrusted-data');

  // Neither a mission's turn nor the one that continues it after a gate is an event.
  const other = await add({ instruction: 'use send {}', schedule: LATER });
  await as('POST', `/api/missions/${other.id}/run`);
  const waiting = await until(other.id, 'waiting');
  const { gates } = await as<{ gates: { id: string; thread_id: string }[] }>('GET', '/api/gates');
  await as('POST', `/api/gates/${gates.find(({ thread_id: id }) => id === waiting.thread_id)?.id}`, {
    answer: 'approve',
  });
  await until(other.id, 'completed');
  await as('POST', '/api/chat', { message: 'say hi', thread_id: waiting.thread_id });
  expect(await listed(follows.id)).toHaveLength(1);

  await as('POST', `/api/missions/${follows.id}/pause`);
  await as('POST', '/api/chat', { message: 'say good night' });
  expect(await listed(follows.id)).toHaveLength(1);
  const foreign = await add({ instruction: 'say noted', schedule: { on_turn_of: 'webhook:github' } });
  expect(foreign.error?.param).toBe('schedule.on_turn_of');
});

test('a turn of a webhook user starts a mission of the operator, up to 60 times in an hour', async ({
  service,
  home,
}) => {
  const { id } = await create(service, { schedule: { on_turn_of: 'webhook:github' } });
  const submit = async (message: string) => {
    const job = await service.webhook.submit({ user_id: 'github', message });
    await waitFor('the job', async () => (await service.webhook.job(job)).status === 'completed');
  };
  await submit('say the build is green');
  const run = await waitFor('the run', async () =>
    (await runsOf(service, id)).find(({ status }) => status === 'completed'),
  );
  const items = await call(service, 'GET', `/api/threads/${run.thread_id}/items`);
  expect(JSON.stringify(items)).toContain('the build is green');

  await home.query(
    `insert into occurrences (mission_id, slot, user_id, kind, state, revision, due_at, ended_at)
     select mission_id, slot - n * interval '1 second', user_id, kind, state, revision, due_at, ended_at
     from occurrences, generate_series(1, 59) as n where mission_id = $1`,
    [id],
  );
  await submit('say the build is red');
  const skipped = (await runsOf(service, id)).filter(({ status }) => status === 'skipped');
  expect(skipped).toMatchObject([{ reason: 'too_many_events', turn_id: null }]);

  await home.query(`update occurrences set slot = slot - interval '1 hour' where mission_id = $1`, [id]);
  await submit('say the build is blue');
  await waitFor('the next run', async () => {
    const [newest] = await runsOf(service, id);
    return newest?.status === 'completed' && newest.slot > run.slot;
  });
});

test('the agent creates a mission only with an approval that shows its schedule and next times', async ({
  service,
}) => {
  const schedule = { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' };
  const preview = await call<{ schedule_words: string; next_times: string[] }>(
    service,
    'POST',
    '/api/missions/preview',
    {
      schedule,
    },
  );
  const { schedule_words, next_times } = preview;
  const ask = async (given: object) => {
    const message = `use mission_create ${JSON.stringify({ name: 'Agent-made', instruction: 'say hi', schedule, schedule_words, next_times, ...given })}`;
    const { gate } = await call<{ gate: { id: string; call: { arguments: string } } }>(service, 'POST', '/api/chat', {
      message,
    });
    expect(JSON.parse(gate.call.arguments)).toMatchObject({ schedule_words: expect.any(String) });
    await call(service, 'POST', `/api/gates/${gate.id}`, { answer: 'approve' });
  };
  const made = async () =>
    (await call<{ missions: { name: string; id: string }[] }>(service, 'GET', '/api/missions')).missions.filter(
      ({ name }) => name.startsWith('Agent-made'),
    );

  await ask({ schedule: { cron: '* * * * *', time_zone: 'UTC' }, name: 'Agent-made lie' }); // the words are of another schedule
  await ask({});
  await waitFor('the mission', async () => (await made()).length > 0);
  expect((await made()).map(({ name }) => name)).toEqual(['Agent-made']);

  // A run has no such tools, so what it reads can't create or change a mission.
  const spreads = await create(service, {
    instruction: `use mission_delete ${JSON.stringify({ id: (await made())[0]?.id })}`,
  });
  await runUntil(service, spreads.id, 'completed');
  expect(await made()).toHaveLength(1);
});

test('the command line creates, lists, shows and deletes missions', async ({ service, home }) => {
  const wanted = [
    'create',
    'By-command',
    '--instruction',
    'say hi',
    '--cron',
    '0 8 * * 1',
    '--time-zone',
    'Asia/Tokyo',
  ];
  const made = await runReborn(['mission', ...wanted], { env: service.remote });
  expect(made.stdout).toMatch(
    /^Created [\w-]{36}: at 08:00, Monday \(Asia\/Tokyo\)\. Next times:\n( {2}\S+ 08:00 \(Asia\/Tokyo\)\n){5}$/,
  );
  const id = /[\w-]{36}/.exec(made.stdout)?.[0] ?? '';
  await runReborn(['mission', 'run', id], { env: service.remote });
  await waitFor('the run', async () => (await runsOf(service, id))[0]?.status === 'completed');
  expect((await runReborn(['mission', 'show', id], { env: service.remote })).stdout).toContain('completed');
  const budget = ['--usd-per-day', '0.5', '--tools', 'read', '--overlap', 'queue', '--every', '90'];
  expect((await runReborn(['mission', 'update', id, ...budget], { env: service.remote })).stdout).toContain(
    'every 90 minutes',
  );
  expect(await call(service, 'GET', `/api/missions/${id}`)).toMatchObject({
    instruction: 'say hi',
    usd_per_day: 0.5,
    tools: ['read'],
    overlap: 'queue',
    schedule: { every_minutes: 90 },
  });
  await runReborn(['mission', 'pause', id], { env: service.remote });
  expect((await runReborn(['mission', 'list'], { env: service.remote })).stdout).toMatch(/By-command\s+paused/);

  const keys = () => home.query('select from idempotency_keys where starts_with(key, $1)', [`mission:${id}:`]);
  expect(await keys()).toHaveLength(1);
  await runReborn(['mission', 'delete', id], { env: service.remote });
  expect(await keys()).toEqual([]);
});

test('saving a mission says which of its tools ask after text by others', async ({ service }) => {
  const tools = ['reborn_time', 'memory_delete', 'memory_write'];
  const made = await create(service, { name: 'Asking', tools });
  expect(made).toMatchObject({ asks_after_others: ['memory_delete'] });
  const told = 'a run waits for an approval before it calls: memory_delete.';
  const renamed = await runReborn(['mission', 'update', made.id, '--name', 'Asked'], { env: service.remote });
  expect(renamed.stdout).toContain(told);

  await call(service, 'PUT', '/api/tool-policies/memory_delete', { level: 'allow', after: 'foreign' });
  expect(await call(service, 'GET', `/api/missions/${made.id}`)).toMatchObject({ asks_after_others: [] });
  await call(service, 'DELETE', '/api/tool-policies/memory_delete');
  await call(service, 'DELETE', `/api/missions/${made.id}`);
});

test('what is not valid is refused with its field, and a schedule can be tried', async ({ service }) => {
  const refused = await create(service, { schedule: { cron: '0 8 * *', time_zone: 'UTC' } });
  expect(refused).toMatchObject({ httpStatus: 400, error: { param: 'schedule.cron' } });
  expect(await create(service, { name: 'a\u0000b' })).toMatchObject({ httpStatus: 400 });
  const preview = await call<{ next_times: string[] }>(service, 'POST', '/api/missions/preview', {
    schedule: { cron: '0 0 1 1 *', time_zone: 'UTC' },
  });
  expect(preview.next_times).toHaveLength(5);
});
