import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#config/config.ts';
import type { MissionId } from '#domain/ids.ts';
import { SITUATIONS, type Situation } from '#domain/thread/origin.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import { digestShape } from '#domain/tool/call-digest.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { createMission, runMission } from '../red-team/unattended.ts';
import { isSummaryPrompt } from '../support/scripted-model.ts';
import type { WireResponse } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { alone, type Call, call, open, type Person } from './people.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const MAIL = call('send_mail', { to: 'bob@friends.example', text: 'hi' });
const BOOK = call('calendar_add', { title: 'Ben' });
const boats = (person: Person) => `https://${person.host('news')}/boats`;
const endOf = ({ status, error }: WireResponse) => error?.code ?? status;

async function reader(page = 'Boats.'): Promise<Person> {
  const person = await world.add();
  Object.assign(person.shown, { page, mail: 'Ben says hello.' });
  return person;
}

/** A person whose agent has read a page of others. */
async function afterReading(page?: string) {
  const person = await reader(page);
  person.plan = alone(open(boats(person)));
  const first = await person.ask(`Read ${boats(person)}`);
  expect(endOf(first)).toBe('completed');
  return { person, first };
}

async function tries(person: Person, given: Call, more: object = {}): Promise<string> {
  person.plan = [[given]];
  return endOf(await person.ask('Go on', more));
}

test('a summary remembers that it sums up text by others', async () => {
  const { person, first } = await afterReading(`Boats ${'and more '.repeat(4000)}`);
  person.plan = [];
  const context_management = [{ type: 'compaction', compact_threshold: 1000 }];
  const second = await person.ask('Go on', { previous_response_id: first.id, context_management });
  expect(world.model.seen.some((prompt) => isSummaryPrompt(prompt))).toBe(true);
  expect(await tries(person, MAIL, { previous_response_id: second.id })).toBe('approval_required');
  expect(person.done).toEqual([]);
});

/** A conversation of the caller, from a compaction on. */
const from = (person: Person, sealed: string) => [
  { type: 'compaction', id: 'cmp_1', encrypted_content: sealed },
  { role: 'user', content: `${person.me}Go on` },
];

async function compacted(person: Person, body: object): Promise<string> {
  const { output } = await person.json<{ output: { encrypted_content: string }[] }>('/v1/responses/compact', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...body }),
  });
  return output[0]?.encrypted_content ?? '';
}

test('a sealed summary has its origin in another thread too: foreign stays foreign, and clean stays clean', async () => {
  const { person, first } = await afterReading();
  const foreign = await compacted(person, { previous_response_id: first.id });
  const clean = await compacted(person, { input: `${person.me}I like tea.` });
  person.plan = [[MAIL]];
  expect(endOf(await person.ask(from(person, foreign)))).toBe('approval_required');
  expect(endOf(await person.ask(from(person, clean)))).toBe('completed');
});

test('a summary that was sealed without an origin may hide anything', async () => {
  const person = await reader();
  const { summaries } = await openSecrets(world.db, readConfig(world.home.env));
  person.plan = [[MAIL]];
  const sealed = summaries.seal(person, 'in short: boats');
  expect(endOf(await person.ask(from(person, sealed)))).toBe('approval_required');
});

test('calls of one answer were written before their results were read', async () => {
  const person = await reader();
  person.plan = [[open(boats(person)), MAIL]];
  expect(endOf(await person.ask(`Read ${boats(person)} and tell Bob hi`))).toBe('completed');
  expect(person.done.map(({ tool }) => tool)).toEqual(['send_mail']);
});

/** The calls after which a situation holds. */
const READING: Record<Situation, (person: Person) => Call[]> = {
  clean: () => [],
  foreign: (person) => [open(boats(person))],
  both: () => [call('mail_read', { id: 1 })],
};

async function triesIn(person: Person, situation: Situation, given: Call): Promise<string> {
  person.plan = alone(...READING[situation](person), given);
  return endOf(await person.ask(`Read ${boats(person)} or my mail`));
}

const isCovered = (given: Situation, present: Situation) => SITUATIONS.indexOf(present) <= SITUATIONS.indexOf(given);
const PAIRS = SITUATIONS.flatMap((given) => SITUATIONS.map((present) => [given, present] as const));
const endIn = (given: Situation, present: Situation) => (isCovered(given, present) ? 'completed' : 'approval_required');

test.each(PAIRS)('"always", given when it was %s, when it is %s', async (given, present) => {
  const person = await reader();
  expect(await triesIn(person, given, BOOK)).toBe('approval_required');
  await answerAll(person, 'always');
  expect(await triesIn(person, present, BOOK)).toBe(endIn(given, present));
});

async function answerAll(person: Person, answer: string): Promise<void> {
  for (const { id } of await person.gates()) await person.answer(id, { answer });
  await waitFor('the call to run', async () => person.done.length > 0);
  person.done.length = 0;
}

test.each(PAIRS)('an operator who allows a tool after %s text, when it is %s', async (after, present) => {
  const person = await reader();
  const route = '/api/tool-policies/post_board';
  await world.service.request(route, { method: 'PUT', body: JSON.stringify({ level: 'allow', after }) });
  try {
    expect(await triesIn(person, present, call('post_board', { text: 'hi' }))).toBe(endIn(after, present));
  } finally {
    await world.service.request(route, { method: 'DELETE' });
  }
});

test('"always" for one mission holds only in its runs, and "always" without a mission holds everywhere', async () => {
  const person = await reader();
  person.plan = [[BOOK]];
  const [mine, other] = [
    await createMission(person, `${person.me}Book.`, { thread: 'new' }),
    await createMission(person, `${person.me}Book!`, { thread: 'new' }),
  ];
  const ends = ['waiting', 'completed'];
  expect((await runMission(person, mine, ends)).status).toBe('waiting');
  await answerAll(person, 'always');
  await waitForRun(person, mine);
  await limitTo(person, mine as MissionId);
  expect((await runMission(person, mine, ends)).status).toBe('completed');
  expect((await runMission(person, other, ends)).status).toBe('waiting');
  expect(await tries(person, BOOK)).toBe('approval_required');

  await answerAll(person, 'always');
  await waitForRun(person, other);
  expect((await runMission(person, other, ends)).status).toBe('completed');
  expect(await tries(person, BOOK)).toBe('completed');
});

const waitForRun = (person: Person, id: string) =>
  waitFor('the run to end', async () => {
    const { occurrences } = await person.json<{ occurrences: { status: string }[] }>(`/api/missions/${id}/occurrences`);
    return occurrences.every(({ status }) => status === 'completed');
  });

/** As `only: "mission"` stores it. */
async function limitTo({ userId }: Person, missionId: MissionId): Promise<void> {
  const digest = digestShape({ ...BOOK } as GatedCall, null, shapeOf(BOOK.arguments), missionId);
  await world.home.query('update standing_approvals set mission_id = $1, digest = $2 where user_id = $3', [
    missionId,
    digest,
    userId,
  ]);
}

test('an approved site is open until the next message', async () => {
  const person = await reader('<a href="/a1">One</a> <a href="/a2">Two</a>');
  const at = (path: string) => open(`https://${person.host('news')}${path}`);
  person.plan = alone(open(boats(person)), at('/a1'), at('/a2'));
  const first = await person.ask(`Read ${boats(person)} and its articles`);
  expect(endOf(first)).toBe('approval_required');
  for (const { id } of await person.gates()) await person.answer(id, { answer: 'approve' });
  await waitFor('both articles', async () => person.visits.length === 3);
  await waitFor('the end', async () => person.results === 3);
  expect(await person.gates()).toEqual([]);
  expect(await tries(person, at('/a1'), { previous_response_id: first.id })).toBe('approval_required');
});

test('a note that was written after reading counts as text by others, until the person saves it', async () => {
  const { person, first } = await afterReading();
  const keep = call('memory_write', { path: 'tips/sail', text: 'Sail at dawn' });
  expect(await tries(person, keep, { previous_response_id: first.id })).toBe('completed');
  person.plan = alone(call('memory_read', { path: 'tips/sail' }), MAIL);
  expect(endOf(await person.ask('What did I keep?'))).toBe('approval_required');
  await person.put('tips/sail', 'Sail at dawn');
  expect(endOf(await person.ask('What did I keep?'))).toBe('completed');
});

type Thread = { items: { id: string; type: string; role?: string }[] };

async function chat(person: Person, message: string, more: object = {}) {
  const body = JSON.stringify({ message: person.me + message, ...more });
  return person.json<{ thread_id: string }>('/api/chat', { method: 'POST', body });
}

test('a message that is edited above the text by others makes the thread clean, and the old line keeps its origin', async () => {
  const person = await reader();
  person.plan = alone(open(boats(person)));
  const { thread_id: id } = await chat(person, `Read ${boats(person)}`);
  const { items } = await person.json<Thread>(`/api/threads/${id}/items`);
  person.plan = [];
  const edited = JSON.stringify({ text: `${person.me}Hello` });
  const route = `/api/threads/${id}/items/${items.find(({ role }) => role === 'user')?.id}/versions`;
  await person.request(route, { method: 'POST', body: edited });
  await waitFor(
    'the answer',
    async () => (await person.json<{ status: string }>(`/api/threads/${id}`)).status !== 'running',
  );

  person.plan = [[MAIL]];
  await chat(person, 'Mail Bob', { thread_id: id });
  expect(await person.gates()).toEqual([]);
  expect(person.done.map(({ tool }) => tool)).toEqual(['send_mail']);
});

test('a deleted response is no longer read', async () => {
  const { person, first: read } = await afterReading();
  person.plan = [];
  const last = await person.ask('Thanks', { previous_response_id: read.id });
  expect((await person.request(`/api/v1/responses/${read.id}`, { method: 'DELETE' })).status).toBe(200);
  expect(await tries(person, MAIL, { previous_response_id: last.id })).toBe('completed');
});

test('texts that the person has vouched for are not counted any more', async () => {
  const { person, first } = await afterReading();
  await world.home.query(
    `update items set body = (body::jsonb || '{"vouched":true}')::json
     where body->>'type' = 'function_call_output' and user_id = $1`,
    [person.userId],
  );
  expect(await tries(person, MAIL, { previous_response_id: first.id })).toBe('completed');
});

test('answers to cards are counted by what made the call ask, and by what was read', async () => {
  const count = async (labels: string) => {
    const metrics = await (await world.service.request('/metrics')).text();
    return Number(new RegExp(`^reborn_approvals_total\\{${labels}\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0);
  };
  const ORIGIN = 'reason="origin",situation="foreign",answer="deny"';
  const ADDRESS = 'reason="address",situation="foreign",answer="approve"';
  const before = [await count(ORIGIN), await count(ADDRESS)];
  const { person, first } = await afterReading('<a href="/a1">One</a>');
  expect(await tries(person, MAIL, { previous_response_id: first.id })).toBe('approval_required');
  for (const { id } of await person.gates()) await person.answer(id, { answer: 'deny' });
  const other = await afterReading('<a href="/a1">One</a>');
  const link = open(`https://${other.person.host('news')}/a1`);
  expect(await tries(other.person, link, { previous_response_id: other.first.id })).toBe('approval_required');
  for (const { id } of await other.person.gates()) await other.person.answer(id, { answer: 'approve' });
  expect([await count(ORIGIN), await count(ADDRESS)]).toEqual(before.map((known) => known + 1));
});
