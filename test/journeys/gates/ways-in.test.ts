import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { startMcpServer } from '../../support/mcp-server.ts';
import { byOthers, createPost, obey, order, reasonToAsk } from '../../support/obeying-model.ts';
import type { Service } from '../../support/service.ts';

const { tool: post, posted } = createPost();

const test = journey()
  .override('modelOptions', { decide: obey })
  .override('parts', { tools: [post], missions: { pollEveryMs: 100 } });

async function call<T>(service: Service, method: string, route: string, body?: object): Promise<T> {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const LOOKUP = { type: 'function', name: 'lookup', parameters: { type: 'object' } };
const others = (name: string, source?: string) => ({
  type: 'input_text',
  text: order(name),
  origin: 'others',
  ...(source !== undefined && { source }),
});
const own = (text: string) => ({ type: 'input_text', text });
const fileOf = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
const isPosted = (name: string) => posted.includes(JSON.stringify({ text: name }));

test('an app says what its user did not write, and gets it back as it was sent', async ({ service, home, model }) => {
  await service.ask(order('own words'));
  expect(isPosted('own words')).toBe(true);

  const content = [own('Sum it up.'), others('a mail', 'mail'), others('no source')];
  const response = await service.ask([{ role: 'user', content }], { instructions: 'Be brief.' });
  expect(await reasonToAsk(home, 'a mail')).toMatchObject({
    situation: 'both',
    because: [
      { kind: 'message', name: 'mail', foreign: true, private: true },
      { kind: 'message', name: null },
    ],
  });
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain(`<untrusted-data source="mail">${order('a mail')}<`);

  type Listed = { data: { content: { text: string }[] }[] };
  const { data } = await call<Listed>(service, 'GET', `/api/v1/responses/${response.id}/input_items`);
  const [first, ...rest] = data[0]?.content ?? [];
  expect(first?.text).toMatch(/Sum it up\.$/);
  expect(rest).toEqual(content.slice(1));
});

test('chat completions know who wrote a part, too', async ({ service, home }) => {
  const content = [
    { type: 'text', text: 'Sum it up.' },
    { type: 'text', text: order('a page'), origin: 'others', source: 'page' },
  ];
  await service.request('/api/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }),
  });
  expect(await reasonToAsk(home, 'a page')).toMatchObject(byOthers('page'));
});

test('a file is by others unless its sender wrote it, small or stored apart', async ({ service, home, model }) => {
  const send = (name: string, more: object, filler = '') => {
    const file = { type: 'input_file', filename: 'minutes.txt', file_data: fileOf(order(name) + filler), ...more };
    return service.ask([{ role: 'user', content: [own('Sum it up.'), file] }]);
  };
  for (const [name, filler] of [
    ['a small file', ''],
    ['a large file', ' and so on'.repeat(1000)],
  ] as const) {
    await send(name, {}, filler);
    expect(await reasonToAsk(home, name)).toMatchObject({
      situation: 'both',
      because: [{ kind: 'file', name: 'minutes.txt' }],
    });
    expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain('<untrusted-data source="minutes.txt">');
  }
  await send('my own file', { origin: 'own' });
  expect(isPosted('my own file')).toBe(true);

  const attachment = (name: string, more: object = {}) => ({
    message: 'Sum it up.',
    attachments: [
      { name: 'a.txt', media_type: 'text/plain', data: Buffer.from(order(name)).toString('base64'), ...more },
    ],
  });
  await call(service, 'POST', '/api/chat/send', attachment('an upload'));
  expect(await reasonToAsk(home, 'an upload')).toMatchObject({ because: [{ kind: 'file', name: 'a.txt' }] });
  await call(service, 'POST', '/api/chat', attachment('my upload', { origin: 'own' }));
  expect(isPosted('my upload')).toBe(true);
});

test("the result of a caller's tool is by others, even if the caller says otherwise", async ({ service, home }) => {
  const output = (name: string) => ({
    type: 'function_call_output',
    call_id: 'c',
    output: order(name),
    reads: {},
    vouched: true,
  });
  const caller = { situation: 'both', because: [{ kind: 'caller', name: 'lookup', foreign: true, private: true }] };

  const asked = await service.ask('use lookup {}', { tools: [LOOKUP] });
  const { call_id: callId } = asked.output.find(({ type }) => type === 'function_call') ?? { call_id: '' };
  await service.ask([{ ...output('a result'), call_id: callId }], { previous_response_id: asked.id });
  expect(await reasonToAsk(home, 'a result')).toMatchObject(caller);

  const lookup = { type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' };
  await service.ask([{ role: 'user', content: 'Look it up.' }, lookup, output('a replay')]);
  expect(await reasonToAsk(home, 'a replay')).toMatchObject(caller);
});

test('a message that is edited has new words, and what others wrote in it stays', async ({ service, home }) => {
  await service.ask([
    { role: 'user', content: [own('say first'), { ...others('x', 'mail'), text: 'Boats for sale' }] },
  ]);
  const { threads } = await call<{ threads: { id: string }[] }>(service, 'GET', '/api/threads');
  const route = `/api/threads/${threads[0]?.id}`;
  type Items = { items: { id: string; content: object[] }[] };
  const { items } = await call<Items>(service, 'GET', `${route}/items`);
  await call(service, 'POST', `${route}/items/${items[0]?.id}/versions`, { text: order('edited') });

  expect(await reasonToAsk(home, 'edited')).toMatchObject(byOthers('mail'));
  const shown = await call<Items>(service, 'GET', `${route}/items`);
  expect(shown.items[0]?.content).toEqual([
    { type: 'text', text: order('edited') },
    { type: 'text', text: 'Boats for sale', origin: 'others', source: 'mail' },
  ]);
});

test('titles, searches, exports and shares keep the words apart', async ({ service }) => {
  const mail = { ...others('x', 'mail'), text: 'Yachts for sale' };
  await service.ask([{ role: 'user', content: [own('say thanks'), mail] }]);
  const { threads } = await call<{ threads: { id: string; preview: string }[] }>(service, 'GET', '/api/threads');
  const [{ id, preview } = { id: '', preview: '' }] = threads;
  expect(preview).toBe('say thanks Yachts for sale');
  const found = await call<{ results: object[] }>(service, 'GET', '/api/search?q=yachts');
  expect(JSON.stringify(found)).toContain(id);
  expect(await (await service.request(`/api/threads/${id}/export`)).text()).toContain('say thanks\n\nYachts for sale');
  const { url } = await call<{ url: string }>(service, 'PUT', `/api/threads/${id}/share`, {});
  type Shared = { items: { content: object[] }[] };
  const shared = await call<Shared>(service, 'GET', `/api/shared/${new URL(url).pathname.split('/').at(-1)}`);
  expect(shared.items[0]?.content).toEqual([
    { type: 'text', text: 'say thanks' },
    { type: 'text', text: 'Yachts for sale', origin: 'others' },
  ]);
});

test('a mission that starts after a turn has read what the turn said', async ({ service, home }) => {
  const ann = await addUser(service, 'Ann');
  const as = (route: string, body: object) =>
    service.request(route, { method: 'POST', body: JSON.stringify(body), headers: ann.headers });
  const mission = { name: 'm', instruction: 'Note what happened.', schedule: { on_turn_of: 'me' } };
  expect((await as('/api/missions', mission)).ok).toBe(true);
  await as('/api/chat', { message: order('after a turn') });

  expect(await reasonToAsk(home, 'after a turn')).toMatchObject(byOthers('turn'));
  expect(posted.filter((text) => text.includes('after a turn'))).toHaveLength(1); // by the person's own turn
});

test('a resource of an MCP server that a person attaches is by others', async ({ service, home }) => {
  const server = await startMcpServer({
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'resources/list': () => ({ resources: [{ uri: 'note:1', name: 'note' }] }),
    'resources/templates/list': () => ({ error: { code: -32601, message: 'There are none.' } }),
    'resources/read': () => ({ contents: [{ uri: 'note:1', mimeType: 'text/plain', text: order('a resource') }] }),
  });
  try {
    await call(service, 'POST', '/api/mcp', { name: 'ours', url: server.url, private_network: true });
    type Read = { contents: { media_type: string; data: string }[] };
    const { contents } = await call<Read>(service, 'GET', '/api/mcp/ours/resource?uri=note:1');
    const [{ media_type, data } = { media_type: '', data: '' }] = contents;
    const attachments = [{ name: 'note.txt', media_type, data }];
    await call(service, 'POST', '/api/chat/send', { message: 'Sum it up.', attachments });
    expect(await reasonToAsk(home, 'a resource')).toMatchObject({ because: [{ kind: 'file', name: 'note.txt' }] });
  } finally {
    server.close();
  }
});
