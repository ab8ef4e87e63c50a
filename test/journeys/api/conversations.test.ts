import { expect } from 'vitest';
import {
  conversation as conversationShape,
  deletedConversation,
} from '#channels/responses/conversations/conversation-shape.ts';
import { itemPage } from '#channels/responses/response/input-items-page.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('settings', { CHAT_RATE_PER_MINUTE: '100000' });

const UNKNOWN = `conv_${'0'.repeat(32)}`;
const tools = [{ type: 'function', name: 'lookup' }];
const message = (role: string, content: unknown) => ({ role, content });

/** Calls of one service under `/v1`; every answer is checked against its schema. */
function callsOf(service: Service, headers: Record<string, string> = {}) {
  const send = (method: string, route: string, body?: unknown) =>
    service.request(`/v1/conversations${route}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const expectOk = async (answer: Response): Promise<unknown> => {
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  return {
    create: async (body: unknown = {}) => conversationShape.parse(await expectOk(await send('POST', '', body))),
    get: async (id: string) => conversationShape.parse(await expectOk(await send('GET', `/${id}`))),
    update: async (id: string, body: unknown) =>
      conversationShape.parse(await expectOk(await send('POST', `/${id}`, body))),
    remove: async (id: string) => deletedConversation.parse(await expectOk(await send('DELETE', `/${id}`))),
    add: async (id: string, items: unknown) =>
      itemPage.parse(await expectOk(await send('POST', `/${id}/items`, { items }))),
    list: async (id: string, query = '?order=asc') =>
      itemPage.parse(await expectOk(await send('GET', `/${id}/items${query}`))),
    item: async (id: string, item: string) => expectOk(await send('GET', `/${id}/items/${item}`)),
    removeItem: async (id: string, item: string) =>
      conversationShape.parse(await expectOk(await send('DELETE', `/${id}/items/${item}`))),
    refusal: async (method: string, route: string, body?: unknown) => {
      const answer = await send(method, route, body);
      const { error } = (await answer.json()) as { error: { code: string; param: string | null; message: string } };
      return { status: answer.status, ...error };
    },
  };
}

type Page = Awaited<ReturnType<ReturnType<typeof callsOf>['list']>>;

const wordsOf = ({ data }: Page) =>
  data.map((item) => {
    if (item.type === 'message')
      return `${item.role}: ${item.content.map((part) => 'text' in part && part.text).join()}`;
    return item.type === 'function_call'
      ? `call: ${item.name}`
      : `output: ${'output' in item && typeof item.output === 'string' ? item.output : ''}`;
  });

const conversationOf = (response: WireResponse) => `conv_${response.id.slice(-32)}`;

test('a conversation is created, read, updated and deleted', async ({ service }) => {
  const calls = callsOf(service);
  const made = await calls.create({ metadata: { topic: 'tea' } });

  expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'tea' } });
  expect(await calls.get(made.id)).toEqual(made);
  expect(await calls.update(made.id, { metadata: { topic: 'coffee' } })).toEqual({
    ...made,
    metadata: { topic: 'coffee' },
  });
  expect((await calls.update(made.id, { metadata: null })).metadata).toEqual({});
  expect(await calls.remove(made.id)).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true });
  for (const [method, route, body] of [
    ['GET', ''],
    ['POST', '', { metadata: {} }],
    ['DELETE', ''],
    ['GET', '/items'],
    ['POST', '/items', { items: [message('user', 'x')] }],
    ['GET', `/items/msg_${'0'.repeat(32)}`],
    ['DELETE', `/items/msg_${'0'.repeat(32)}`],
  ] as const)
    expect([method, route, await calls.refusal(method, `/${made.id}${route}`, body)]).toMatchObject([
      method,
      route,
      { status: 404, code: 'not_found' },
    ]);
});

test('any JSON is kept as metadata, up to 16 KiB', async ({ service }) => {
  const calls = callsOf(service);
  const metadata = { 'odd \u0000 \ud800': [1, null, { deep: true }] };

  expect((await calls.create({ metadata })).metadata).toEqual(metadata);
  for (const wrong of [5, 'x', [], { long: 'x'.repeat(16_384) }])
    expect(await calls.refusal('POST', '', { metadata: wrong })).toMatchObject({ status: 400, param: 'metadata' });
  const { id } = await calls.create();
  expect(await calls.refusal('POST', `/${id}`, {})).toMatchObject({ status: 400, param: 'metadata' });
});

test('responses on a conversation continue it, and name it at once and when they are retrieved', async ({
  service,
}) => {
  const calls = callsOf(service);
  const { id } = await calls.create({ items: [message('user', 'the pear is ripe'), message('assistant', 'Good.')] });

  const first = await service.ask('say hello', { conversation: id });
  const second = await service.ask('recite', { conversation: { id } });

  expect([first, second]).toMatchObject([{ conversation: { id } }, { conversation: { id } }]);
  expect(await service.get(second.id)).toMatchObject({ conversation: { id } });
  expect(textOf(second)).toMatch(/the pear is ripe[^]*Good\.[^]*hello/);
  expect(wordsOf(await calls.list(id)).slice(0, 5)).toEqual([
    'user: the pear is ripe',
    'assistant: Good.',
    'user: say hello',
    'assistant: hello',
    'user: recite',
  ]);
  const third = await service.ask('say more', { previous_response_id: second.id });
  expect(third).toMatchObject({ conversation: null });
  expect(conversationOf(third)).toBe(id);
});

test('two responses on one conversation run one after the other', async ({ service }) => {
  const { id } = await callsOf(service).create();

  const both = await Promise.all([
    service.ask('count 5 every 20', { conversation: id }),
    service.ask('say later', { conversation: id }),
  ]);

  expect(both.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('a conversation that is malformed, combined or unknown is refused', async ({ service }) => {
  const calls = callsOf(service);
  const refuse = async (fields: object) => {
    const answer = await service.post({ input: 'say x', ...fields });
    return { status: answer.status, ...((await answer.json()) as { error: object }).error };
  };
  for (const conversation of [5, '', 'conv_1', {}, { id: 5 }, [UNKNOWN], UNKNOWN.toUpperCase()])
    expect(await refuse({ conversation })).toMatchObject({ status: 400, param: 'conversation' });
  const { id } = await service.ask('say x');
  expect(await refuse({ conversation: `conv_${id.slice(-32)}`, previous_response_id: id })).toMatchObject({
    status: 400,
    param: 'conversation',
  });

  const ann = await addUser(service, 'Ann');
  const foreign = (await callsOf(service, ann.headers).create()).id;
  for (const conversation of [UNKNOWN, foreign, { id: foreign }])
    for (const input of ['say x', [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }]])
      expect(await refuse({ conversation, input })).toMatchObject({ status: 404, code: 'not_found' });
  for (const other of [UNKNOWN, foreign, 'conv_1'])
    expect(await calls.refusal('GET', `/${other}`)).toMatchObject({ status: 404, code: 'not_found' });
});

test('a thread of any channel is a conversation of its owner', async ({ service }) => {
  const body = JSON.stringify({ message: 'say from the browser' });
  const answer = await service.request('/api/chat', { method: 'POST', body });
  const { thread_id: thread } = (await answer.json()) as { thread_id: string };

  const page = await callsOf(service).list(`conv_${thread.replaceAll('-', '')}`);

  expect(wordsOf(page)).toEqual(['user: say from the browser', 'assistant: from the browser']);
});

test('items are listed in pages, newest first by default', async ({ service }) => {
  const calls = callsOf(service);
  const texts = Array.from({ length: 45 }, (_, n) => `n${n}`);
  const { id } = await calls.create();
  for (let n = 0; n < 45; n += 15)
    await calls.add(
      id,
      texts.slice(n, n + 15).map((text) => message('user', text)),
    );
  const all = async (order: string, limit: number) => {
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await calls.list(id, `?order=${order}&limit=${limit}${after && `&after=${after}`}`);
      seen.push(...wordsOf(page));
      if (!page.has_more) return seen;
      after = page.last_id ?? '';
    }
  };

  const newest = await calls.list(id, '');
  expect([newest.data.length, newest.has_more, wordsOf(newest)[0]]).toEqual([20, true, 'user: n44']);
  for (const limit of [1, 7, 45, 100]) {
    expect(await all('asc', limit)).toEqual(texts.map((text) => `user: ${text}`));
    expect(await all('desc', limit)).toEqual(texts.toReversed().map((text) => `user: ${text}`));
  }
  for (const query of ['limit=0', 'limit=101', 'order=up', 'after=x', `after=msg_${'0'.repeat(32)}`])
    expect(await calls.refusal('GET', `/${id}/items?${query}`)).toMatchObject({
      status: 400,
      param: query.split('=')[0],
    });
});

test("the caller's calls and outputs are listed, and the agent's are not", async ({ service }) => {
  const calls = callsOf(service);
  const { id } = await calls.create();
  await service.ask('use reborn_time {}', { conversation: id });
  const paused = await service.ask('use lookup {}', { conversation: id, tools });
  const output = { type: 'function_call_output', call_id: paused.output[0]?.call_id, output: 'snow' };
  await service.ask([output], { conversation: id, instructions: 'Be brief.' });

  const page = await calls.list(id);

  expect(wordsOf(page)).toEqual([
    'user: use reborn_time {}',
    expect.stringMatching(/^assistant: result: /),
    'user: use lookup {}',
    'call: lookup',
    'output: snow',
    'assistant: ok',
  ]);
  expect(page.data[3]?.id).toBe(paused.output[0]?.id);
  for (const item of page.data) expect(await calls.item(id, item.id)).toEqual(item);
  expect(wordsOf(await calls.list(id, '?limit=2&order=desc'))).toEqual(['assistant: ok', 'output: snow']);
});

test('added items of every kind come back as the API shows them', async ({ service }) => {
  const calls = callsOf(service);
  const { id } = await calls.create();
  const image = 'data:image/png;base64,iVBORw0KGgo=';
  const added = await calls.add(id, [
    message('developer', 'Answer in rhymes.'),
    message('user', [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image_url: image },
    ]),
    { type: 'function_call', call_id: 'call_a', name: 'lookup', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_a', output: 'snow' },
    message('assistant', [{ type: 'output_text', text: 'It snows.', annotations: [] }]),
  ]);

  expect(added.data).toMatchObject([
    { role: 'system', content: [{ type: 'input_text', text: 'Answer in rhymes.' }] },
    { role: 'user', content: [{ text: 'Look' }, { type: 'input_image', image_url: image }] },
    { type: 'function_call', call_id: 'call_a' },
    { type: 'function_call_output', call_id: 'call_a', output: 'snow' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'It snows.' }] },
  ]);
  expect(await calls.list(id)).toEqual(added);
  expect(textOf(await service.ask('recite', { conversation: id }))).toMatch(/rhymes[^]*Look[^]*snow[^]*It snows/);
});

test("the images and files that a caller's tool returned come back as they were sent", async ({ service }) => {
  const calls = callsOf(service);
  const output = [
    { type: 'input_text', text: 'a map' },
    { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${'iVBO'.repeat(1000)}` },
    { type: 'input_file', file_data: 'data:text/plain;base64,c25vdw==', filename: 'snow.txt' },
  ];
  const { id } = await calls.create({
    items: [{ type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }],
  });
  const added = await calls.add(id, [{ type: 'function_call_output', call_id: 'a', output }]);

  expect(added.data).toMatchObject([{ type: 'function_call_output', call_id: 'a', output }]);
  expect((await calls.list(id)).data.at(-1)).toEqual(added.data[0]);
});

test('items that are invalid, or more than 20, are refused, and nothing is added', async ({ service }) => {
  const calls = callsOf(service);
  const { id } = await calls.create();
  const refuse = (items: unknown) => calls.refusal('POST', `/${id}/items`, { items });

  expect(await refuse(undefined)).toMatchObject({ status: 400, param: 'items' });
  expect(await refuse([])).toMatchObject({ status: 400, param: 'items' });
  expect(await refuse('x')).toMatchObject({ status: 400, param: 'items' });
  expect(await refuse([message('user', 'a'), message('nobody', 'b')])).toMatchObject({
    status: 400,
    param: 'items[1].role',
  });
  expect(await refuse([{ type: 'item_reference', id: `msg_${'0'.repeat(32)}` }])).toMatchObject({
    status: 400,
    param: 'items[0].id',
  });
  expect(await refuse(Array.from({ length: 21 }, () => message('user', 'a')))).toMatchObject({
    status: 400,
    param: 'items',
  });
  expect(await calls.refusal('POST', '', { items: [5] })).toMatchObject({ status: 400, param: 'items[0]' });
  expect(await calls.list(id)).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null });
});

test('a busy conversation takes no items and loses none', async ({ service }) => {
  const calls = callsOf(service);
  const { id } = await calls.create({ items: [message('user', 'first')] });
  const [item] = (await calls.list(id)).data;
  const attempts = async () => [
    await calls.refusal('POST', `/${id}/items`, { items: [message('user', 'x')] }),
    await calls.refusal('DELETE', `/${id}/items/${item?.id}`),
  ];
  const running = await service.ask('count 2000 every 20', { conversation: id, background: true });

  expect(await attempts()).toMatchObject([
    { status: 409, code: 'thread_busy' },
    { status: 409, code: 'thread_busy' },
  ]);
  await service.request(`/v1/responses/${running.id}/cancel`, { method: 'POST', body: '{}' });
  await waitFor('the turn to end', async () => (await service.get(running.id)).status === 'cancelled');
  await service.ask('use lookup {}', { conversation: id, tools });
  expect(await attempts()).toMatchObject([
    { status: 400, code: 'tool_output_missing', param: 'items' },
    { status: 409, code: 'thread_busy' },
  ]);
});

test('a deleted item is neither listed nor shown to the model', async ({ service }) => {
  const calls = callsOf(service);
  const made = await calls.create({ items: [message('user', 'a secret'), message('assistant', 'noted')] });
  const { data } = await calls.list(made.id);
  const other = await calls.create({ items: [message('user', 'other')] });
  const foreign = (await calls.list(other.id)).data[0]?.id;

  expect(await calls.removeItem(made.id, data[0]?.id ?? '')).toEqual(made);

  expect(wordsOf(await calls.list(made.id))).toEqual(['assistant: noted']);
  expect(textOf(await service.ask('recite', { conversation: made.id }))).not.toContain('a secret');
  const thread = await service.request(`/api/threads?q=a%20secret`);
  expect(await thread.json()).toMatchObject({ threads: [] });
  for (const item of [data[0]?.id, foreign, 'msg_1'])
    for (const method of ['GET', 'DELETE'])
      expect(await calls.refusal(method, `/${made.id}/items/${item}`)).toMatchObject({ status: 404 });
});

test('a conversation outlives its only response', async ({ service }) => {
  const calls = callsOf(service);
  const made = await calls.create();
  const { id } = await service.ask('say gone', { conversation: made.id });
  await service.request(`/v1/responses/${id}`, { method: 'DELETE' });

  expect(await calls.get(made.id)).toEqual(made);
  expect((await calls.list(made.id)).data).toEqual([]);
  expect(textOf(await service.ask('recite', { conversation: made.id }))).not.toContain('gone');
});

test('a response that is not stored leaves its conversation as it was', async ({ service }) => {
  const calls = callsOf(service);
  const made = await calls.create();
  const gone = await service.ask('say forget me', { conversation: made.id, store: false });
  await waitFor('the response to be deleted', async () => {
    const { status } = await service.request(`/v1/responses/${gone.id}`);
    return status === 404;
  });

  expect(textOf(gone)).toBe('forget me');
  expect(await calls.get(made.id)).toEqual(made);
  expect((await calls.list(made.id)).data).toEqual([]);
  expect(textOf(await service.ask('recite', { conversation: made.id }))).not.toContain('forget me');
});
