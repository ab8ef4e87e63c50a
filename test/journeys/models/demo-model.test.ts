// @module-tag slow
import { expect } from 'vitest';
import { isPossible } from '../../sandbox/guest.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Without a configured model, the demo model answers. */
const test = journey()
  .override('env', ({ home }) => ({ ...home.env, SANDBOX: 'auto' }))
  .override('parts', { missions: { pollEveryMs: 50 } });

type Gate = { id: string; thread_id: string; calls: { name: string; arguments: string }[] };
type Item = { role?: string; output?: { type: string; url?: string }[]; content?: { text?: string }[] };

async function call<T>(service: Service, method: string, route: string, body?: object): Promise<T> {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
}

const send = (service: Service, message: string, more: object = {}) =>
  call<{ thread_id: string; status: string }>(service, 'POST', '/api/chat', { message, ...more });

const itemsOf = async (service: Service, thread: string) =>
  (await call<{ items: Item[] }>(service, 'GET', `/api/threads/${thread}/items`)).items;

const answerIn = (service: Service, thread: string): Promise<string> =>
  waitFor('an answer', async () => {
    const last = (await itemsOf(service, thread)).at(-1);
    return last?.role === 'assistant' ? last.content?.map(({ text }) => text).join('') : undefined;
  });

async function gateOf(service: Service, thread: string): Promise<Gate> {
  const { gates } = await call<{ gates: Gate[] }>(service, 'GET', '/api/gates');
  const gate = gates.find((each) => each.thread_id === thread);
  if (!gate) throw new Error('No gate is open.');
  return gate;
}

test('See an approval: a note waits at a gate, and is saved when it is approved', async ({ service }) => {
  const { thread_id: thread } = await send(service, 'Save a note that I prefer short answers, and ask me first.');
  const gate = await gateOf(service, thread);
  expect(gate.calls.map(({ name }) => name)).toEqual(['memory_write']);
  const note = () => service.request('/api/memory/notes/i-prefer-short-answers');
  expect((await note()).status).toBe(404);

  await call(service, 'POST', `/api/gates/${gate.id}`, { answer: 'approve' });
  expect(await answerIn(service, thread)).toContain('Saved: “I prefer short answers.”');
  expect(await (await note()).json()).toMatchObject({ text: 'I prefer short answers.' });
});

test('Create a mission: it waits at a gate with its times, and its result is the reminder', async ({ service }) => {
  const { thread_id: thread } = await send(service, 'Remind me tomorrow at 08:00 (Europe/Oslo) to plan the day.');
  const gate = await gateOf(service, thread);
  expect(gate.calls.map(({ name }) => name)).toEqual(['mission_create']);
  await call(service, 'POST', `/api/gates/${gate.id}`, { answer: 'approve' });
  expect(await answerIn(service, thread)).toContain('It runs tomorrow at 08:00 (Europe/Oslo)');

  type Listed = { id: string; name: string; next_due_at: string };
  const { missions } = await call<{ missions: Listed[] }>(service, 'GET', '/api/missions');
  expect(missions.map(({ name }) => name)).toEqual(['Reminder: plan the day']);
  const due = Date.parse(missions[0]?.next_due_at ?? '') - Date.now();
  expect(due).toBeGreaterThan(0);
  expect(due).toBeLessThan(48 * 3_600_000);

  await call(service, 'POST', `/api/missions/${missions[0]?.id}/run`);
  type Results = { results: { first_sentence: string }[] };
  const results = await waitFor('the result', async () => {
    const found = await call<Results>(service, 'GET', '/api/mission-results');
    return found.results.length > 0 ? found.results : undefined;
  });
  expect(results).toMatchObject([{ first_sentence: 'It is time to plan the day.', unread: true }]);
});

test('Make a chart: Python draws a picture, which is handed over, where code can run', async ({ service, skip }) => {
  skip(!isPossible);
  expect(await call(service, 'GET', '/api/starters')).toEqual({
    first: ['approval', 'mission', 'chart'],
    later: ['approval', 'mission', 'chart'],
  });
  const { thread_id: thread } = await send(service, 'Make a chart of six months of sales.');
  expect(await answerIn(service, thread)).toContain('Here is the chart');

  const pictures = (await itemsOf(service, thread)).flatMap(({ output = [] }) =>
    output.flatMap(({ type, url }) => (type === 'image' && url ? [url] : [])),
  );
  expect(pictures).toHaveLength(2); // drawn by Python, and handed over
  const bytes = Buffer.from(await (await service.request(pictures[0] ?? '')).arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
});

test('Ask about a file: offered where code can not run, and the file is read out', async ({ startAnother }) => {
  const service = await startAnother({ SANDBOX: 'off' });
  expect(await call(service, 'GET', '/api/starters')).toMatchObject({ first: ['approval', 'mission', 'file'] });
  const data = Buffer.from('month,eur\nMay,22\n').toString('base64');
  const attachments = [{ name: 'costs.csv', media_type: 'text/csv', data, origin: 'own' }];
  const { thread_id: thread } = await send(service, 'What is in this file?', { attachments });
  expect(await answerIn(service, thread)).toMatch(/costs\.csv has 2 lines of text\. .*month,eur/);
});
