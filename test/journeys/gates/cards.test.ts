import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service, WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const ran: string[] = [];
const definition = { description: null, parameters: { type: 'object' }, strict: null };
const acting = (name: string, more: Partial<Tool> = {}): Tool => ({
  definition: { ...definition, name },
  repeatable: false,
  async call(argumentsJson) {
    ran.push(`${name} ${argumentsJson}`);
    return `${name} done`;
  },
  ...more,
});
const read: Tool = {
  ...acting('read'),
  level: 'allow',
  flow: { reads: { foreign: true }, from: 'page', runs: 'always' },
  source: () => 'news.example/boats',
  call: async () => 'boats for sale',
};
/** Asks only after text by others. */
const post = acting('post', { level: 'allow', flow: { reads: {}, runs: 'clean' } });
const erase = acting('erase', { flow: { reads: {}, runs: 'clean', irreversible: true } });

const test = journey().override('parts', { tools: [acting('send'), read, post, erase] });

let service: Service;

test.beforeAll(async ({ startAnother }) => {
  service = await startAnother();
});

test.beforeEach(() => {
  ran.length = 0;
});

test('all calls of one answer are on one card, and each gets its own answer', async () => {
  const { gate, thread_id: threadId } = await chat('use send {"n":1}\nuse post {}\nuse send {"n":2}');
  const calls = gate.calls.map(({ call_id, name, arguments: json }) => ({ call_id, name, json }));
  expect(calls.map(({ name, json }) => `${name} ${json}`)).toEqual(['send {"n":1}', 'send {"n":2}']);
  expect(gate).toMatchObject({ call: { call_id: calls[0]?.call_id }, situation: 'clean', because: [], address: null });
  expect(await openGate(gate.id)).toMatchObject({ calls: [{ always: ['n = 1'] }, { always: ['n = 2'] }] });

  const answers = { [calls[0]?.call_id ?? '']: 'deny', [calls[1]?.call_id ?? '']: 'approve' };
  await goesOn(gate.id, { answers, reason: 'One is enough.' });
  expect(ran).toEqual(['post {}', 'send {"n":2}']);
  expect(JSON.stringify(await itemsOf(threadId))).toContain('Not run: denied. One is enough.');
  expect(await audited(gate.id)).toMatchObject([
    { action: 'gate.each', detail: { tools: ['send', 'send'], approved: ['send'] } },
  ]);
});

test('one answer approves all calls of the card', async () => {
  const { gate } = await chat('use send {"n":1}\nuse send {"n":2}');
  await goesOn(gate.id, { answer: 'approve' });
  expect(ran).toEqual(['send {"n":1}', 'send {"n":2}']);
});

test('an answer that is not complete is refused, and the card stays', async () => {
  const { gate } = await chat('use send {}');
  const refusals = [
    [{}, 'Give an answer for all calls, or answers'],
    [{ answer: 'approve', answers: {} }, 'Give an answer for all calls, or answers'],
    [{ answers: { nothing: 'approve' } }, 'does not ask about the call'],
    [{ answers: { nothing: 'always' } }, 'must be approve or deny'],
    [{ answer: 'approve', only: 'mission' }, 'only goes with the answer always'],
    [{ answer: 'always', only: 'mission' }, 'does not belong to a run of a mission'],
  ] as const;
  for (const [body, message] of refusals) {
    const refused = await answer(gate.id, body);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(message)]);
  }
  expect(await openGate(gate.id)).toMatchObject({ id: gate.id });
  expect(ran).toEqual([]);
});

test('a call that cannot be undone has a separate card, and is never approved for always', async () => {
  const { gate } = await chat('use erase {"n":1}\nuse send {}');
  expect(gate.calls).toHaveLength(1);
  expect(await openGate(gate.id)).not.toHaveProperty('always');
  const refused = await answer(gate.id, { answer: 'always' });
  expect(await refused.text()).toContain("can't be undone");
  expect(ran).toEqual([]);
});

test('the card says what was read, and the item that the person trusts counts no more', async () => {
  const said = await chat('use read {}');
  const waiting = await chat('use post {"n":1}', said.thread_id);
  const items = await itemsOf(said.thread_id);
  const output = items.find(({ type }) => type === 'function_call_output');
  expect(waiting.gate).toMatchObject({
    situation: 'foreign',
    because: [{ kind: 'page', name: 'news.example/boats', foreign: true, private: false, item_id: output?.id }],
  });
  expect(output).toMatchObject({ reads: { foreign: true, private: false } });
  await goesOn(waiting.gate.id, { answer: 'deny' });

  const stranger = await addUser(service, 'Eve');
  const vouch = `/api/threads/${said.thread_id}/items/${output?.id}/vouch`;
  const foreign = await fetch(`${service.url}${vouch}`, { method: 'POST', headers: stranger.headers });
  expect(foreign.status).toBe(404);
  expect((await service.request(vouch, { method: 'POST' })).status).toBe(204);
  expect((await service.request(vouch, { method: 'POST' })).status).toBe(204);
  expect(await audited(output?.id ?? '')).toMatchObject([{ action: 'origin.vouch' }]);
  const trusted = (await itemsOf(said.thread_id)).find(({ id }) => id === output?.id);
  expect(trusted).toMatchObject({ vouched: true, output: [{ type: 'text', text: 'boats for sale' }] });

  expect(await chat('use post {"n":2}', said.thread_id)).toMatchObject({ status: 'completed' });
  expect(ran).toEqual(['post {"n":2}']);
});

test('the inspector says what was read before each call', async () => {
  const { thread_id: threadId } = await chat('use read {}');
  const { turn_id: turnId } = (await itemsOf(threadId))[0] ?? {};
  await chat('use read {}', threadId);
  const turns = new Set((await itemsOf(threadId)).map((item) => item.turn_id));
  const situations = await Promise.all(
    [...turns].map(async (id) => {
      const inspected = (await (await service.request(`/api/turns/${id}`)).json()) as {
        calls: { situation: string }[];
      };
      return inspected.calls.map(({ situation }) => situation);
    }),
  );
  expect([turnId, ...situations]).toEqual([[...turns][0], ['clean'], ['foreign']]);
});

test('the inspector says what let each call run', async () => {
  const { thread_id: threadId } = await chat('use post {"n":5}');
  await chat('use read {}', threadId);
  const waiting = await chat('use post {"n":5}', threadId);
  expect(await permissionsIn(threadId)).toEqual(['clean', 'tool', null]);
  await goesOn(waiting.gate.id, { answer: 'always' });
  await chat('use post {"n":5}', threadId);
  const level = JSON.stringify({ level: 'allow', after: 'foreign' });
  await service.request('/api/tool-policies/send', { method: 'PUT', body: level });
  await chat('use send {"n":6}', threadId);
  await service.request('/api/tool-policies/send', { method: 'DELETE' });
  const denied = await chat('use post {"n":7}', threadId);
  await goesOn(denied.gate.id, { answer: 'deny' });

  expect(await permissionsIn(threadId)).toEqual(['clean', 'tool', 'approval', 'always', 'policy', null]);
});

test('an answer of the model can not be trusted, and neither can a missing item', async () => {
  const { thread_id: threadId } = await chat('say hello');
  const answered = (await itemsOf(threadId)).find(({ role }) => role === 'assistant');
  const statuses = [];
  for (const id of [answered?.id, threadId]) {
    const { status } = await service.request(`/api/threads/${threadId}/items/${id}/vouch`, { method: 'POST' });
    statuses.push(status);
  }
  expect(statuses).toEqual([400, 404]);
});

async function permissionsIn(threadId: string): Promise<(string | null)[]> {
  const turns = new Set((await itemsOf(threadId)).map((item) => item.turn_id));
  const inspected = await Promise.all(
    [...turns].map(async (id) => (await service.request(`/api/turns/${id}`)).json() as Promise<Inspected>),
  );
  return inspected.flatMap(({ calls }) => calls.map(({ allowed_by: by }) => by));
}

type Inspected = { calls: { allowed_by: string | null }[] };
type Gate = { id: string; calls: { call_id: string; name: string; arguments: string }[] };
type Item = { id: string; type: string; turn_id: string; role?: string };

async function chat(message: string, thread_id?: string): Promise<{ thread_id: string; status: string; gate: Gate }> {
  const body = JSON.stringify({ message, thread_id });
  const response = await service.request('/api/chat', { method: 'POST', body });
  expect(response.status).toBe(200);
  return (await response.json()) as { thread_id: string; status: string; gate: Gate };
}

const openGate = async (id: string) => (await (await service.request(`/api/gates/${id}`)).json()) as object;

async function itemsOf(threadId: string): Promise<Item[]> {
  const response = await service.request(`/api/threads/${threadId}/items`);
  return ((await response.json()) as { items: Item[] }).items;
}

async function audited(subject: string): Promise<object[]> {
  const response = await service.request('/api/audit?limit=100');
  const { entries } = (await response.json()) as { entries: { subject: string }[] };
  return entries.filter((entry) => entry.subject === subject);
}

const answer = (gate: string, body: object): Promise<Response> =>
  service.request(`/api/gates/${gate}`, { method: 'POST', body: JSON.stringify(body) });

/** Answers the gate and waits until the turn that this starts completes. */
async function goesOn(gate: string, body: object): Promise<WireResponse> {
  const answered = await answer(gate, body);
  expect(answered.status).toBe(202);
  const { response_id } = (await answered.json()) as { response_id: string };
  return waitFor('the thread to continue', async () => {
    const response = await service.get(response_id);
    return response.status === 'completed' && response;
  });
}
