import { expect } from 'vitest';
import { INERT, type Tool } from '#tools/tool.ts';
import { createHeldTool } from '../../support/held-tool.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Sent = { thread_id: string; turn_id: string; response_id: string; placed: object | null };
type Answered = WireResponse & { incomplete_details: { reason: string } | null; x_continued_by?: string };

const step = createHeldTool();
const card = { shows: Promise.withResolvers<void>(), hold: Promise.resolve() };
/** Needs an approval. Its card takes as long as a test wants. */
const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  flow: INERT,
  level: 'ask',
  async state() {
    card.shows.resolve();
    await card.hold;
    return 'same';
  },
  call: async () => 'sent',
};
const NOT_RUN = 'Not run: the person sent a new message first.';
const WAITS = { placed: { type: 'waits', gate: 'approval' } };

let service: Service;
const test = journey().override('parts', { tools: [step.tool, send] });
test.beforeAll(async ({ startAnother }) => {
  service = await startAnother();
});

test('a message that comes during a call is read after it, with its output, and the next calls are not run', async ({
  model,
}) => {
  const first = await say('use step {"n":1}\nuse step {"n":2}');
  await step.begun();
  const next = await say('say instead', first);
  expect(next.placed).toEqual({ type: 'steering' });
  expect(await queueOf(first)).toEqual([{ type: 'steering' }]);
  step.release();

  expect(textOf(await end(next))).toBe('instead');
  const ended = { status: 'incomplete', incomplete_details: { reason: 'steered' }, output: [] };
  expect(await end(first)).toMatchObject({ ...ended, x_continued_by: next.response_id });
  expect(promptOf(model, 'say instead').slice(-3)).toEqual([
    expect.stringContaining('did {"n":1}'),
    expect.stringContaining(NOT_RUN),
    'say instead',
  ]);
  const { steered_by: by } = await call<{ steered_by: object }>('GET', `/api/turns/${first.turn_id}`);
  expect(by).toMatchObject({ turn_id: next.turn_id, message: 'say instead', waited_ms: expect.any(Number) });
  expect(await call('GET', `/api/threads/${first.thread_id}/items`)).toMatchObject({ steered: [first.turn_id] });
});

test('five corrections cost one call of the model, and each is read in the order it was written', async ({ model }) => {
  const first = await say('use step {"n":3}');
  await step.begun();
  const before = model.seen.length;
  const more = ['one', 'two', 'three', 'four', 'five'];
  const sent: Sent[] = [];
  for (const word of more) sent.push(await say(`say ${word}`, first, word === 'one' ? { when_busy: 'queue' } : {}));
  expect(await queueOf(first)).toEqual(more.map(() => ({ type: 'steering' })));
  step.release();

  const ends = await Promise.all(sent.map(end));
  expect(ends.map(({ status }) => status)).toEqual([...Array(4).fill('incomplete'), 'completed']);
  expect(model.seen).toHaveLength(before + 1);
  expect(promptOf(model, 'say five').slice(-5)).toEqual(more.map((word) => `say ${word}`));
});

test('a message that comes while the model writes its last answer is the next turn, and ends nothing', async () => {
  const first = await say('count 20 every 40');
  await waitFor('the first words', async () => (await inProgress(first)) !== '');
  const next = await say('say after', first);
  expect(next.placed).toEqual({ type: 'steering' });

  expect(await end(first)).toMatchObject({ status: 'completed', incomplete_details: null });
  expect(textOf(await end(next))).toBe('after');
});

test('no gate opens in front of a message, whether it came before the call was judged or while it was', async () => {
  const judged = await say('use step {"n":4}\nuse send {"n":4}');
  await step.begun();
  const before = await say('say before', judged);
  step.release();
  expect(textOf(await end(before))).toBe('before');

  const held = Promise.withResolvers<void>();
  Object.assign(card, { shows: Promise.withResolvers(), hold: held.promise });
  const first = await say('use send {"n":5}');
  await card.shows.promise;
  const meanwhile = await say('say meanwhile', first);
  held.resolve();
  expect(textOf(await end(meanwhile))).toBe('meanwhile');

  for (const turn of [judged, first]) {
    expect(await end(turn)).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'steered' } });
    const { items } = await call<{ items: object[] }>('GET', `/api/threads/${turn.thread_id}/items`);
    expect(JSON.stringify(items)).toContain(NOT_RUN);
  }
  expect(await call('GET', '/api/gates')).toMatchObject({ gates: [] });
});

test('a message at an open gate waits for the answer, which runs the call and is not steered', async () => {
  const first = await say('use send {"n":6}');
  await end(first);
  const next = await say('say behind', first, { when_busy: 'now' });
  expect(next).toMatchObject(WAITS);
  await refuses({ message: 'x', thread_id: first.thread_id, when_busy: 'refuse' });

  const { gates } = await call<{ gates: { id: string }[] }>('GET', '/api/gates');
  const answered = await call<Sent>('POST', `/api/gates/${gates[0]?.id}`, { answer: 'approve' });
  expect(answered.placed).toEqual({ type: 'started' });
  expect(textOf(await end(answered))).toBe('result: sent');
  expect(textOf(await end(next))).toBe('behind');
});

test('a message that is sent now cuts the answer and stops the call, and the text so far stays', async ({ model }) => {
  const first = await say('count 400 every 20');
  await waitFor('the first words', async () => (await inProgress(first)) !== '');
  const next = await say('say now', first, { when_busy: 'now' });
  expect(textOf(await end(next))).toBe('now');
  const cut = textOf(await end(first));
  expect(cut).toMatch(/^0 (?!.*399)/);
  expect(promptOf(model, 'say now').at(-2)).toBe(cut);

  const other = await say('use step {"n":7}');
  await step.begun();
  await end(await say('say stop', other, { when_busy: 'now' }));
  expect(step.stopped).toEqual(['{"n":7}']);
  expect(promptOf(model, 'say stop').at(-2)).toContain('the outcome is unknown');
});

test('a message that waits can be sent now, or steer, later', async () => {
  const first = await say('use step {"n":8}');
  await step.begun();
  const [one, two] = [
    await say('say a', first, { when_busy: 'queue' }),
    await say('say b', first, { when_busy: 'queue' }),
  ];
  expect(await queueOf(first)).toEqual([
    { type: 'queued', ahead: 1 },
    { type: 'queued', ahead: 2 },
  ]);
  const change = (turn: Sent, when_busy: string) =>
    call('PATCH', `/api/threads/${first.thread_id}/queue/${turn.turn_id}`, { when_busy });
  expect(await change(one, 'steer')).toEqual({ placed: { type: 'steering' } });
  expect(await change(two, 'now')).toEqual({ placed: { type: 'steering' } });

  expect(textOf(await end(two))).toBe('b');
  expect((await end(one)).incomplete_details).toEqual({ reason: 'steered' });
  expect(await change(one, 'now')).toMatchObject({ error: { code: 'thread_busy' } });
});

test('a turn continues when the message that steered it is withdrawn or cancelled', async () => {
  const before = step.calls();
  const first = await say('use step {"n":9}');
  await step.begun();
  const withdrawn = await say('say x', first);
  const cancelled = await say('say y', first);
  await service.request(`/api/threads/${first.thread_id}/queue/${withdrawn.turn_id}`, { method: 'DELETE' });
  await service.request(`/v1/responses/${cancelled.response_id}/cancel`, { method: 'POST' });
  step.release();

  const done = await end(first);
  expect(done.status).toBe('completed');
  expect(textOf(done)).toContain('did {"n":9}');
  expect(await call('GET', `/api/turns/${first.turn_id}`)).toMatchObject({ steered_by: null });
  expect(step.calls()).toBe(before + 1);
});

test('every answer says where the message is, also to a repeated request', async () => {
  const key = { headers: { 'idempotency-key': 'placed' } };
  const first = await say('use step {"n":10}');
  expect(first.placed).toEqual({ type: 'started' });
  await step.begun();
  await say('say a', first, { when_busy: 'queue' });
  const body = { message: 'say b', thread_id: first.thread_id, when_busy: 'queue' };
  const next = await call<Sent>('POST', '/api/chat/send', body, key);
  expect(next.placed).toEqual({ type: 'queued', ahead: 2 });
  await call('DELETE', `/api/threads/${first.thread_id}/queue/${(await turnsIn(first))[0]}`);
  expect((await call<Sent>('POST', '/api/chat/send', body, key)).placed).toEqual({ type: 'queued', ahead: 1 });
  await refuses({ message: 'x', thread_id: first.thread_id, when_busy: 'refuse' });

  const api = { previous_response_id: first.response_id, input: 'say c', background: true };
  const created = async (when_busy?: string) =>
    (await (await service.post({ ...api, ...(when_busy && { when_busy }) })).json()) as object;
  expect(await created()).toMatchObject({ status: 'queued', placed: { type: 'queued', ahead: 2 } });
  expect(await created('steer')).toMatchObject({ placed: { type: 'steering' } });
  expect(await created('refuse')).toMatchObject({ error: { code: 'thread_busy' } });
  expect(await created('later')).toMatchObject({ error: { param: 'when_busy' } });
  step.release();
  await end(next);
  expect(await call('POST', '/api/chat/send', body, key)).toMatchObject({ turn_id: next.turn_id, placed: null });
});

test('a person can prefer that messages are queued', async () => {
  expect(await call('GET', '/api/me')).toMatchObject({ preferences: { when_busy: 'steer' } });
  expect(await call('PATCH', '/api/me', { when_busy: 'queue' })).toMatchObject({ preferences: { when_busy: 'queue' } });
  const first = await say('use step {"n":11}');
  await step.begun();
  expect((await say('say a', first)).placed).toEqual({ type: 'queued', ahead: 1 });
  step.release();
  expect((await end(first)).status).toBe('completed');
  await call('PATCH', '/api/me', { when_busy: 'steer' });
});

const say = (message: string, thread?: Sent, more: object = {}): Promise<Sent> =>
  call('POST', '/api/chat/send', {
    message,
    when_busy: 'preferred',
    ...(thread && { thread_id: thread.thread_id }),
    ...more,
  });

async function call<T = object>(method: string, route: string, body?: object, more: object = {}): Promise<T> {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }), ...more });
  return (response.status === 204 ? {} : await response.json()) as T;
}

const end = ({ response_id: id }: Sent): Promise<Answered> =>
  waitFor('the response to end', async () => {
    const found = (await service.get(id)) as Answered;
    return found.status !== 'queued' && found.status !== 'in_progress' && found;
  });

async function refuses(body: object): Promise<void> {
  expect(await call('POST', '/api/chat/send', body)).toMatchObject({ error: { code: 'thread_busy' } });
}

const readQueue = ({ thread_id: id }: Sent) =>
  call<{ queued: { turn_id: string; placed: object }[] }>('GET', `/api/threads/${id}/queue`);
const queueOf = async (thread: Sent) => (await readQueue(thread)).queued.map(({ placed }) => placed);
const turnsIn = async (thread: Sent) => (await readQueue(thread)).queued.map(({ turn_id: id }) => id);

/** What a turn that runs has said so far, as its events tell. */
async function inProgress({ response_id: id }: Sent): Promise<string> {
  const response = await service.request(`/v1/responses/${id}?stream=true`);
  for await (const chunk of response.body ?? []) {
    if (new TextDecoder().decode(chunk).includes('output_text.delta')) return 'said';
  }
  return '';
}

/** The texts of the newest prompt that ends with this message. */
function promptOf(
  model: { readonly seen: readonly { messages: readonly { text: string }[] }[] },
  last: string,
): string[] {
  const prompt = model.seen.findLast(({ messages }) => messages.at(-1)?.text === last);
  return prompt?.messages.map(({ text }) => text) ?? [];
}
