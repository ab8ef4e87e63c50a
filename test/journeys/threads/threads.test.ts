import { expect } from 'vitest';
import type { z } from 'zod';
import { exportThread } from '#channels/gateway/threads/export-thread.ts';
import { inspectTurn } from '#channels/gateway/threads/inspect-turn.ts';
import { listItems } from '#channels/gateway/threads/item-routes.ts';
import { listQueue } from '#channels/gateway/threads/queue-routes.ts';
import { searchMessages } from '#channels/gateway/threads/search-routes.ts';
import { listThreads } from '#channels/gateway/threads/thread-routes.ts';
import { thread as threadShape } from '#channels/gateway/threads/thread-shape.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey();

const itemList = listItems.responses[200].json;
const searchResults = searchMessages.responses[200].json;
const threadQueue = listQueue.responses[200].json;
const threadExport = exportThread.responses[200].json;
const threadList = listThreads.responses[200].json;
const turnInspection = inspectTurn.responses[200].json;
type Headers = Record<string, string>;

async function call<T>(
  service: Service,
  schema: z.ZodType<T>,
  method: string,
  route: string,
  body?: object,
  headers: Headers = {},
) {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return schema.parse(JSON.parse(text));
}

const statusOf = async (service: Service, method: string, route: string, body?: object) =>
  (await service.request(route, { method, headers: {}, ...(body && { body: JSON.stringify(body) }) })).status;

async function chat(service: Service, message: string, more: object = {}, headers: Headers = {}) {
  const body = JSON.stringify({ message, ...more });
  const response = await service.request('/api/chat', { method: 'POST', body, headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as { thread_id: string; response_id: string; message: string };
}

test("a thread's title is its first words until it is renamed, and again after its title is removed", async ({
  service,
}) => {
  const { thread_id: id } = await chat(service, 'say plan\n a trip');
  await chat(service, 'say to Oslo', { thread_id: id });
  const thread = await call(service, threadShape, 'GET', `/api/threads/${id}`);
  expect(thread).toMatchObject({ title: 'say plan a trip', renamed: false, preview: 'say to Oslo', status: 'idle' });
  expect(thread.usage).toMatchObject({ input_tokens: 20, output_tokens: 10, cost_usd: null });

  const renamed = await call(service, threadShape, 'PATCH', `/api/threads/${id}`, {
    title: '  Norway\u0000 ',
    pinned: true,
  });
  expect(renamed).toMatchObject({ title: 'Norway', renamed: true, pinned: true });
  expect(await call(service, threadShape, 'PATCH', `/api/threads/${id}`, { title: null })).toMatchObject({
    title: 'say plan a trip',
    pinned: true,
  });
  expect(await statusOf(service, 'PATCH', `/api/threads/${id}`, {})).toBe(400);
});

test('a chat is unread from the end of an answer until its owner says that they have it before them', async ({
  service,
}) => {
  const { thread_id: id } = await chat(service, 'say hello');
  const find = () => call(service, threadShape, 'GET', `/api/threads/${id}`);
  expect(await find()).toMatchObject({ unread: true });
  const read = await call(service, threadShape, 'PATCH', `/api/threads/${id}`, { read: true });
  expect(read).not.toHaveProperty('unread');
  await chat(service, 'say more', { thread_id: id });
  expect(await find()).toMatchObject({ unread: true });
  expect(await statusOf(service, 'PATCH', `/api/threads/${id}`, { read: false })).toBe(400);

  await service.ask('say from a program');
  const programs = await call(service, threadList, 'GET', '/api/threads?channel=api');
  expect(programs.threads.filter((thread) => thread.unread)).toEqual([]);
});

test('the list has pinned threads first, then the newest, in pages without gaps or duplicates', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const ids: string[] = [];
  for (const word of ['a', 'b', 'c', 'd', 'e'])
    ids.push((await chat(service, `say ${word}`, {}, ann.headers)).thread_id);
  const [a, b, c, d, e] = ids;
  await call(service, threadShape, 'PATCH', `/api/threads/${b}`, { pinned: true }, ann.headers);
  await call(service, threadShape, 'PATCH', `/api/threads/${d}`, { archived: true }, ann.headers);
  const listed: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const route = `/api/threads?limit=2${cursor && `&cursor=${cursor}`}`;
    const page: z.infer<typeof threadList> = await call(service, threadList, 'GET', route, undefined, ann.headers);
    listed.push(...page.threads.map((thread) => thread.id));
    cursor = page.next_cursor;
  }
  expect(listed).toEqual([b, e, c, a]);
  const archive = await call(service, threadList, 'GET', '/api/threads?archived=true', undefined, ann.headers);
  expect(archive.threads.map((thread) => thread.id)).toEqual([d]);
  const found = await call(service, threadList, 'GET', '/api/threads?q=SAY%20C', undefined, ann.headers);
  expect(found.threads.map((thread) => thread.id)).toEqual([c]);
  expect(await statusOf(service, 'GET', '/api/threads?cursor=nonsense')).toBe(400);

  await chat(service, 'say back', { thread_id: d }, ann.headers); // continuing a thread takes it out of the archive
  expect(await call(service, threadShape, 'GET', `/api/threads/${d}`, undefined, ann.headers)).toMatchObject({
    archived: false,
  });
});

test('items come in pages, newest first, in a stable order, and calls have their times', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'use reborn_time {}');
  for (const word of ['one', 'two']) await chat(service, `say ${word}`, { thread_id: id });
  const whole = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
  expect(whole.next_before).toBeNull();
  expect(whole.items.map((item) => item.type).slice(0, 4)).toEqual([
    'message',
    'function_call',
    'function_call_output',
    'message',
  ]);
  const paged: typeof whole.items = [];
  let before: string | null = '';
  while (before !== null) {
    const route: string = `/api/threads/${id}/items?limit=2${before && `&before=${before}`}`;
    const page = await call(service, itemList, 'GET', route);
    paged.unshift(...page.items);
    before = page.next_before;
  }
  expect(paged).toEqual(whole.items); // also the call whose output is on another page
  expect(await statusOf(service, 'GET', `/api/threads/${id}/items?before=00000000-0000-7000-8000-000000000000`)).toBe(
    400,
  );
});

test('an attachment reaches the model and is returned unchanged, and files other than images are downloads', async ({
  service,
  model,
}) => {
  const png = Buffer.from('iVBORw0KGgo=', 'base64');
  const attachments = [
    { name: 'a.png', media_type: 'image/png', data: png.toString('base64') },
    { name: 'päge".html', media_type: 'text/html', data: Buffer.from('<script>1</script>').toString('base64') },
  ];
  const { thread_id: id } = await chat(service, 'recite', { attachments });
  expect(JSON.stringify(model.seen.at(-1))).toContain('<script>1</script>');
  const { items } = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
  const parts = items[0]?.type === 'message' ? items[0].content : [];
  const [image, page] = parts.flatMap((part) => (part.type === 'text' ? [] : [part]));
  expect(image).toMatchObject({ type: 'image', bytes: png.length });

  const shown = await service.request(image?.url ?? '');
  expect(Buffer.from(await shown.arrayBuffer())).toEqual(png);
  expect(shown.headers.get('content-type')).toBe('image/png');
  const saved = await service.request(page?.url ?? '');
  expect(saved.headers.get('content-type')).toBe('application/octet-stream');
  expect(saved.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''p%C3%A4ge%22.html`);

  const exported = await call(service, threadExport, 'GET', `/api/threads/${id}/export?format=json`);
  expect(exported.attachments[image?.url ?? '']).toBe(png.toString('base64'));
  expect(
    await statusOf(service, 'POST', '/api/chat', { message: 'x', attachments: [{ media_type: 'a', data: '' }] }),
  ).toBe(400);
});

test('a Markdown export is readable, and a text cannot close its own block', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'use reborn_time {"a":"```"}');
  const text = await (await service.request(`/api/threads/${id}/export`)).text();
  expect(text).toMatch(/^# use reborn_time/);
  expect(text).toContain('````\n{"a":"```"}\n````');
});

test('a fork starts with the earlier items and continues separately', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say first');
  await chat(service, 'say second', { thread_id: id });
  const { items } = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
  const fork = await call(service, threadShape, 'POST', `/api/threads/${id}/fork`, { before_item_id: items[2]?.id });
  expect(fork).toMatchObject({ title: 'say first', status: 'idle' });
  const { message } = await chat(service, 'recite', { thread_id: fork.id });
  expect(message).toContain('first');
  expect(message).not.toContain('second');
  const after = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
  expect(after.items).toEqual(items);

  const empty = await call(service, threadShape, 'POST', `/api/threads/${id}/fork`, { before_item_id: items[0]?.id });
  await chat(service, 'say anew', { thread_id: empty.id });
  expect(await call(service, threadShape, 'GET', `/api/threads/${empty.id}`)).toMatchObject({ title: 'say anew' });
});

test('deleting a thread stops its turns and leaves no rows', async ({ service, model, home }) => {
  const sent = await service.request('/api/chat/send', {
    method: 'POST',
    body: JSON.stringify({ message: 'count 500 every 20' }),
    headers: { 'idempotency-key': 'again' },
  });
  const { thread_id: id } = (await sent.json()) as { thread_id: string };
  await service.request('/api/chat/send', {
    method: 'POST',
    body: JSON.stringify({ message: 'say x', thread_id: id }),
  });
  await waitFor('the model to be asked', async () =>
    model.seen.some(({ messages }) => messages.at(-1)?.text.includes('count 500')),
  );
  const events = 'select from turn_events where turn_id in (select id from turns where thread_id = $1)';
  await waitFor('its first events', async () => (await home.query(events, [id])).length > 0);
  expect(await statusOf(service, 'DELETE', `/api/threads/${id}`)).toBe(204);
  expect(await statusOf(service, 'GET', `/api/threads/${id}`)).toBe(404);
  expect(await statusOf(service, 'DELETE', `/api/threads/${id}`)).toBe(404);
  await waitFor('the turn to stop', async () => {
    const status = (await (await service.request('/api/status')).json()) as { queue: { running: number } };
    return status.queue.running === 0;
  });
  const left = await home.query<{ count: string }>(
    `select count(*) from (select thread_id from items union all select thread_id from turns
       union all select thread_id from gates union all select id from threads) as rows where thread_id = $1`,
    [id],
  );
  expect(left).toEqual([{ count: '0' }]);
  const orphans = 'select from turn_events where not exists (select from turns where turns.id = turn_id)';
  await waitFor('the events to be gone', async () => (await home.query(orphans)).length === 0);
  const again = await service.request('/api/chat/send', {
    method: 'POST',
    body: JSON.stringify({ message: 'count 500 every 20' }),
    headers: { 'idempotency-key': 'again' },
  });
  expect(again.status).toBe(202); // as if it had never been
  await service.request(`/api/threads/${((await again.json()) as { thread_id: string }).thread_id}`, {
    method: 'DELETE',
    headers: {},
  });
});

test('a turn inspection shows model calls, tools, times and the prompt', async ({ service, model }) => {
  const { thread_id: id } = await chat(service, 'use reborn_time {}');
  const { items } = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
  const turn = await call(service, turnInspection, 'GET', `/api/turns/${items[0]?.turn_id}`);
  expect(turn).toMatchObject({ status: 'completed', attempts: 1, thread_id: id, gate: null, superseded: [] });
  expect(turn.spans.map(({ kind, label }) => [kind, label])).toEqual([
    ['wait', 'in the queue'],
    ['attempt', 'attempt 1'],
    ['model', 'model'],
    ['model', 'model'],
    ['tool', 'reborn_time'],
  ]);
  for (const { started_at: from, ended_at: to } of turn.spans)
    expect(Date.parse(from ?? '')).toBeLessThanOrEqual(Date.parse(to ?? ''));
  const seen = model.seen.at(-1);
  expect(turn.prompt.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(seen?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(turn.prompt.system).toBe(seen?.messages[0]?.text);
});

test('messages that wait are listed in order, and a withdrawn one is gone as if it had never been sent', async ({
  service,
  model,
}) => {
  const send = async (message: string, threadId?: string) => {
    const body = JSON.stringify({ message, ...(threadId && { thread_id: threadId }) });
    const response = await service.request('/api/chat/send', { method: 'POST', body });
    return (await response.json()) as { thread_id: string; turn_id: string; response_id: string };
  };
  const first = await send('count 400 every 20');
  const id = first.thread_id;
  const second = await send('say withdrawn', id);
  const third = await send('say third', id);
  const queue = () => call(service, threadQueue, 'GET', `/api/threads/${id}/queue`);
  expect((await queue()).queued).toMatchObject([
    { turn_id: second.turn_id, seq: 2, items: [{ content: [{ text: 'say withdrawn' }] }] },
    { turn_id: third.turn_id, seq: 3 },
  ]);

  const withdraw = (turn: string) => statusOf(service, 'DELETE', `/api/threads/${id}/queue/${turn}`);
  expect(await withdraw(first.turn_id)).toBe(409);
  expect(await withdraw(second.turn_id)).toBe(204);
  expect(await withdraw(second.turn_id)).toBe(404);
  expect((await queue()).queued).toMatchObject([{ turn_id: third.turn_id }]);

  expect(await statusOf(service, 'POST', `/api/v1/responses/${first.response_id}/cancel`)).toBe(200);
  await waitFor('the third message to be answered', async () => {
    const { items } = await call(service, itemList, 'GET', `/api/threads/${id}/items`);
    return items.some((item) => item.type === 'message' && item.role === 'assistant' && item.turn_seq === 3);
  });
  const asked = model.seen.flatMap(({ messages }) => messages.map(({ text }) => text));
  expect(asked).toContain('say third');
  expect(asked).not.toContain('say withdrawn');
  expect((await queue()).queued).toEqual([]);
});

test('the list finds a thread by the words of its title or of any message, in any order', async ({ service }) => {
  const bob = await addUser(service, 'Bob');
  const { thread_id: id } = await chat(service, 'say What time is it?', {}, bob.headers);
  for (const words of ['the grey mule is late', 'good night'])
    await chat(service, `say ${words}`, { thread_id: id }, bob.headers);
  await chat(service, 'say grey', {}, bob.headers);
  const find = async (q: string) => {
    const route = `/api/threads?q=${encodeURIComponent(q)}`;
    return (await call(service, threadList, 'GET', route, undefined, bob.headers)).threads.map((thread) => thread.id);
  };
  expect(await find('it? time what')).toEqual([id]);
  expect(await find('mule GREY')).toEqual([id]);
  expect(await find('mule zebra')).toEqual([]);
  expect(await find("'); drop | & ! :*")).toEqual([]);
});

test('messages are found by their words, for their owner alone, until they are deleted', async ({ service }) => {
  const search = async (q: string, headers: Headers = {}) =>
    (await call(service, searchResults, 'GET', `/api/search?q=${encodeURIComponent(q)}`, undefined, headers)).results;
  const ann = await addUser(service, 'ann');
  const asAnn = { authorization: ann.headers.authorization };

  const { thread_id: id } = await chat(service, 'say The Zanzibar expedition needs \u0000 forty-two lanterns');
  await chat(service, 'say nothing about it', { thread_id: id });
  const answers = await search('zanzibar LANT');
  expect(answers).toMatchObject([
    { thread_id: id, role: 'assistant', title: expect.stringContaining('say The Zanzibar') },
    { thread_id: id, role: 'user' },
  ]);
  expect(answers[0]?.excerpt.filter(({ match }) => match)).toEqual([
    { text: 'Zanzibar', match: true },
    { text: 'lanterns', match: true },
  ]);
  expect(await search('zanzibar absent')).toEqual([]);
  expect(await search("'); drop | & ! :*")).toEqual([]);
  expect(await search('zanzibar', asAnn)).toEqual([]);

  const { thread_id: hers } = await chat(service, 'say my Zanzibar', {}, asAnn);
  expect((await search('zanzibar', asAnn)).map((found) => found.thread_id)).toEqual([hers, hers]);
  expect(await search('zanzibar')).toHaveLength(2);

  const fork = await call(service, threadShape, 'POST', `/api/threads/${id}/fork`, {});
  expect((await search('zanzibar')).filter((found) => found.thread_id === fork.id)).toHaveLength(2);
  expect(await statusOf(service, 'DELETE', `/api/threads/${fork.id}`)).toBe(204);
  expect(await statusOf(service, 'DELETE', `/api/threads/${id}`)).toBe(204);
  expect(await search('zanzibar')).toEqual([]);
});
