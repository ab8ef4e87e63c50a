import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type ModelMessage, streamText, type ToolSet } from 'ai';
import OpenAI, { toFile } from 'openai';
import { afterAll, expect } from 'vitest';
import { responseObject } from '#channels/responses/response/response-object.ts';
import { streamEvent } from '#channels/responses/response/stream-event.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

/** What the engine was asked, and with which status it answers. */
const engine = { asked: [] as URLSearchParams[], status: 200 };

/** The engine, which finds ten pages on different hosts, and the pages. */
const internet = createServer(({ url = '', headers }, response) => {
  const address = new URL(url, `https://${headers.host}`);
  if (headers.host !== 'api.search.brave.com') {
    response.writeHead(address.pathname === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end('<title>Ferry 🚢</title><p>The ferry runs again twice a day.');
    return;
  }
  engine.asked.push(address.searchParams);
  const results = Array.from({ length: Number(address.searchParams.get('count')) }, (_, index) => ({
    url: `https://site${index}.example/${address.searchParams.get('q')}`,
    title: `Page ${index}`,
    description: 'About it.',
  }));
  response.writeHead(engine.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'search', web: { results } }));
});

const test = journey()
  .override('settings', {
    SANDBOX: 'auto',
    RESPONSES_HOSTED_TOOLS: 'code_interpreter,shell,web_search',
    SEARCH_ENGINE: 'brave',
    SEARCH_API_KEY: 'key-of-the-operator',
  })
  .override('parts', {
    network: {
      resolve: async () => ['93.184.215.14'],
      dial: () => ({ host: '127.0.0.1', port: (internet.address() as AddressInfo).port, tls: false }),
    },
  });

test.beforeAll(async () => {
  internet.listen(0, '127.0.0.1');
  await once(internet, 'listening');
});
afterAll(() => void internet.close());

const connect = (service: Service, apiKey = TOKEN) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });

const csv = (text: string) => toFile(Buffer.from(text), 'costs.csv');
const python = (code: string) => `use reborn_python ${JSON.stringify({ code })}`;
const shell = (command: string) => `use reborn_shell ${JSON.stringify({ command })}`;
const search = (...queries: string[]) => `use reborn_web_search ${JSON.stringify({ queries })}`;
const open = (url: string) => `use reborn_web_fetch ${JSON.stringify({ url })}`;
const SUM = `
rows = [line.split(',') for line in open('costs.csv')]
total = sum(int(cost) for _, cost in rows)
open('total.txt', 'w').write(str(total))
print('total', total)`;

test('code works on the files of a container, and its call is in the output', async ({ service }) => {
  const { containers, responses } = connect(service);
  const container = await containers.create({ name: 'costs' });
  await containers.files.create(container.id, { file: await csv('Ann,3\nBob,5\n') });
  const asked = {
    model: 'm',
    input: python(SUM),
    tools: [{ type: 'code_interpreter' as const, container: container.id }],
  };
  const plain = await responses.create(asked);
  expect(plain.output.map(({ type }) => type)).toEqual(['code_interpreter_call', 'message']);
  expect(plain.output[0]).toMatchObject({ code: SUM, container_id: container.id, status: 'completed', outputs: null });
  expect(plain.tools).toEqual([{ type: 'code_interpreter', container: container.id }]);

  const full = await responses.create({ ...asked, include: ['code_interpreter_call.outputs'] });
  expect(full.output[0]).toMatchObject({ outputs: [{ type: 'logs', logs: expect.stringContaining('total 8') }] });
  const { data } = await containers.files.list(container.id);
  expect(data).toMatchObject([
    { path: '/mnt/data/total.txt', source: 'assistant' },
    { path: '/mnt/data/costs.csv', source: 'user' },
  ]);
  const content = await containers.files.content.retrieve(data[0]?.id ?? '', { container_id: container.id });
  expect(await content.text()).toBe('8');
  const stored = await (await service.request(`/v1/responses/${full.id}`)).json();
  expect(responseObject.parse(stored).output).toEqual(full.output);
});

test('the events of a call come in the order of the reference format', async ({ service }) => {
  const { responses } = connect(service);
  const stream = responses.stream({
    model: 'm',
    input: python('print(6 * 7)'),
    tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    include: ['code_interpreter_call.outputs'],
  });
  const events = [];
  for await (const event of stream) events.push(event);
  const call = events.filter((event) => 'output_index' in event && event.output_index === 0);
  expect(call.map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.code_interpreter_call.in_progress',
    'response.code_interpreter_call_code.delta',
    'response.code_interpreter_call_code.done',
    'response.code_interpreter_call.interpreting',
    'response.code_interpreter_call.completed',
    'response.output_item.done',
  ]);
  const { id, output, conversation } = await stream.finalResponse();
  expect(conversation).toBeNull();
  expect(call.at(-1)).toMatchObject({ item: output[0] });
  expect(output[0]).toMatchObject({ outputs: [{ type: 'logs', logs: expect.stringContaining('42') }] });
  const again = await (await service.request(`/v1/responses/${id}?stream=true`)).text();
  const replayed = again
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => streamEvent.parse(JSON.parse(line.slice(6))).type);
  expect(replayed).toEqual(events.map(({ type }) => type));
});

test('pictures are files of the container', async ({ service }) => {
  const { responses } = connect(service);
  const draw = `
import struct, zlib
def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('dot.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 1, 1, 8, 0, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(b'\\0\\0')) + chunk(b'IEND', b''))`;
  const { output } = await responses.create({
    model: 'm',
    input: python(draw),
    tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    include: ['code_interpreter_call.outputs'],
  });
  const [call] = output;
  const picture = call?.type === 'code_interpreter_call' && call.outputs?.find(({ type }) => type === 'image');
  const bytes = await (await service.request((picture as { url: string }).url)).arrayBuffer();
  expect(Buffer.from(bytes).subarray(1, 4).toString()).toBe('PNG');
});

test('a command is a shell_call with its output', async ({ service }) => {
  const client = connect(service);
  const upload = await client.files.create({ file: await csv('Ann,3\n'), purpose: 'user_data' });
  const environment = { type: 'container_auto' as const, file_ids: [upload.id] };
  const stream = client.responses.stream({
    model: 'm',
    input: shell('cat costs.csv; echo changed > costs.csv; exit 3'),
    tools: [{ type: 'shell', environment }],
  });
  const types = [];
  for await (const { type } of stream) types.push(type);
  expect(types.slice(2, 11)).toEqual([
    'response.output_item.added',
    'response.shell_call_command.added',
    'response.shell_call_command.delta',
    'response.shell_call_command.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.shell_call_output_content.delta',
    'response.shell_call_output_content.done',
    'response.output_item.done',
  ]);
  const { id, output } = await stream.finalResponse();
  expect(output.slice(0, 2)).toMatchObject([
    { type: 'shell_call', action: { commands: ['cat costs.csv; echo changed > costs.csv; exit 3'] } },
    {
      type: 'shell_call_output',
      output: [{ stdout: expect.stringContaining('Ann,3'), outcome: { type: 'exit', exit_code: 3 } }],
    },
  ]);
  // The file that code has changed is not replaced by the upload, and a history with these items is understood.
  const next = await client.responses.create({
    model: 'm',
    previous_response_id: id,
    input: shell('cat costs.csv'),
    tools: [{ type: 'shell', environment }],
  });
  expect(next.output[1]).toMatchObject({ output: [{ stdout: 'changed' }] });
  const history = [{ role: 'user' as const, content: 'hi' }, ...output, { role: 'user' as const, content: 'say yes' }];
  const replayed = await client.responses.create({ model: 'm', input: history as OpenAI.Responses.ResponseInput });
  expect(replayed.output_text).toBe('yes');
});

test('an answer cites the files that were handed over', async ({ service }) => {
  const client = connect(service);
  const upload = await client.files.create({ file: await csv('Ann,3\n'), purpose: 'user_data' });
  const ask = (input: string, more: object = {}) =>
    client.responses.stream({
      model: 'm',
      input,
      tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [upload.id] } }],
      ...more,
    });
  const stream = ask(`use reborn_file_present ${JSON.stringify({ paths: ['/workspace/costs.csv'] })}`);
  const added = [];
  for await (const event of stream) if (event.type === 'response.output_text.annotation.added') added.push(event);
  const { output_text: said, output } = await stream.finalResponse();
  const message = output.find(({ type }) => type === 'message');
  const part = message?.type === 'message' ? message.content[0] : undefined;
  const [citation] = part?.type === 'output_text' ? part.annotations : [];
  if (citation?.type !== 'container_file_citation') throw new Error('The citation is missing.');
  expect(added).toMatchObject([{ annotation: citation }]);
  expect(said.slice(citation.start_index, citation.end_index)).toBe('costs.csv');
  const { container_id } = citation;
  const content = await client.containers.files.content.retrieve(citation.file_id, { container_id });
  expect(await content.text()).toBe('Ann,3\n');
});

test('a request without hosted tools shows no calls', async ({ service }) => {
  const { output } = await connect(service).responses.create({ model: 'm', input: python('1') });
  expect(output.map(({ type }) => type)).toEqual(['message']);
});

test('containers of others, unknown ones and other environments are refused', async ({ service }) => {
  const { id } = await connect(service).containers.create({ name: 'mine' });
  const theirs = connect(service, (await addUser(service, 'ann')).token).responses;
  const ask = (tool: object) => theirs.create({ model: 'm', input: 'say hi', tools: [tool as OpenAI.Responses.Tool] });
  const refused = { status: 400, code: 'invalid_tool' };
  await expect(ask({ type: 'code_interpreter', container: id })).rejects.toMatchObject(refused);
  await expect(ask({ type: 'code_interpreter' })).rejects.toMatchObject({ ...refused, param: 'tools[0].container' });
  await expect(ask({ type: 'shell', environment: { type: 'local' } })).rejects.toMatchObject(refused);
  await expect(ask({ type: 'file_search' })).rejects.toMatchObject({ ...refused, param: 'tools[0].type' });
  const unknown = { type: 'auto', file_ids: [`file-${'0'.repeat(32)}`] };
  await expect(ask({ type: 'code_interpreter', container: unknown })).rejects.toMatchObject(refused);
});

const WEB = { model: 'm', tools: [{ type: 'web_search' as const }] };
const SOURCES = { include: ['web_search_call.action.sources' as const] };

test('a search and an opened page are calls in the output, and the answer cites the page', async ({ service }) => {
  const { responses } = connect(service);
  const input = `${search('ferry', 'boat')}\n${open('https://site0.example/ferry')}`;
  const plain = await responses.create({ ...WEB, input });
  expect(plain.output.map(({ type }) => type)).toEqual(['web_search_call', 'web_search_call', 'message']);
  expect(plain.output).toMatchObject([
    { status: 'completed', action: { type: 'search', query: 'ferry', queries: ['ferry', 'boat'] } },
    { status: 'completed', action: { type: 'open_page', url: 'https://site0.example/ferry' } },
    {},
  ]);
  expect(plain.output[0]).not.toHaveProperty('action.sources');
  expect(plain.tools).toEqual([
    { type: 'web_search', filters: null, search_context_size: 'medium', user_location: null },
  ]);

  const full = await responses.create({ ...WEB, ...SOURCES, input });
  expect(full.output[0]).toHaveProperty('action.sources.length', 8);
  expect(full.output[0]).toHaveProperty('action.sources.0', { type: 'url', url: 'https://site0.example/ferry' });
  const stored = await (await service.request(`/v1/responses/${full.id}`)).json();
  expect(responseObject.parse(stored).output).toEqual(full.output);

  const cited = await responses.create({ ...WEB, input: 'say 🚢 Twice [s1].', previous_response_id: full.id });
  const [message] = cited.output;
  const part = message?.type === 'message' ? message.content[0] : undefined;
  const [citation] = part?.type === 'output_text' ? part.annotations : [];
  if (citation?.type !== 'url_citation') throw new Error('The citation is missing.');
  expect(citation).toMatchObject({ url: 'https://site0.example/ferry', title: 'Ferry 🚢' });
  expect(cited.output_text.slice(citation.start_index, citation.end_index)).toBe(
    '([site0.example](https://site0.example/ferry))',
  );
  const history = [...full.output, { role: 'user' as const, content: 'say yes' }];
  expect((await responses.create({ ...WEB, input: history as OpenAI.Responses.ResponseInput })).output_text).toBe(
    'yes',
  );
});

test('the events of a search come in the order of the reference format, and again', async ({ service }) => {
  const stream = connect(service).responses.stream({ ...WEB, ...SOURCES, input: search('ferry') });
  const events = [];
  for await (const event of stream) events.push(event);
  const call = events.filter((event) => 'output_index' in event && event.output_index === 0);
  expect(call.map(({ type }) => type)).toEqual([
    'response.output_item.added',
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    'response.web_search_call.completed',
    'response.output_item.done',
  ]);
  const { id, output } = await stream.finalResponse();
  expect(call.at(-1)).toMatchObject({ item: output[0] });
  expect(output[0]).toHaveProperty('action.sources.length', 8);
  const again = await (await service.request(`/v1/responses/${id}?stream=true`)).text();
  const replayed = again
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => streamEvent.parse(JSON.parse(line.slice(6))).type);
  expect(replayed).toEqual(events.map(({ type }) => type));
});

test('a search that fails never looks like one that found nothing', async ({ service }) => {
  engine.status = 500;
  const stream = connect(service).responses.stream({ ...WEB, ...SOURCES, input: search('ferry') });
  const types = [];
  for await (const { type } of stream) types.push(type);
  engine.status = 200;
  expect(types).not.toContain('response.web_search_call.completed');
  expect((await stream.finalResponse()).output[0]).toMatchObject({ status: 'failed', action: { sources: [] } });
});

test('filters, the location and the size of a search are honoured', async ({ service }) => {
  const { responses } = connect(service);
  const location = { type: 'approximate' as const, city: 'Lund', country: 'se' };
  const tool = {
    type: 'web_search_2025_08_26' as const,
    filters: { allowed_domains: ['site1.example', 'site5.example'], blocked_domains: ['site5.example'] },
    search_context_size: 'low' as const,
    user_location: location,
  };
  const ask = { ...SOURCES, model: 'm', tools: [tool], input: search('ferry') };
  const { output, tools } = await responses.create(ask);
  expect(output[0]).toHaveProperty('action.sources', [{ type: 'url', url: 'https://site1.example/ferry' }]);
  expect(tools).toEqual([{ ...tool, user_location: { ...location, country: 'SE', region: null, timezone: null } }]);
  expect(engine.asked.at(-1)?.get('country')).toBe('SE');

  const preview = {
    type: 'web_search_preview' as const,
    user_location: location,
    search_context_size: 'high' as const,
  };
  const large = await responses.create({ ...ask, tools: [preview] });
  expect(large.output[0]).toHaveProperty('action.sources.length', 16);
  expect(large.tools).toMatchObject([{ type: 'web_search_preview' }]);
  const told = await responses.create({ ...ask, tools: [preview], input: 'recite' });
  expect(told.output_text).toContain('[Context: user_location - city: Lund, country: SE]');
  const nowhere = { ...tool, filters: { allowed_domains: ['other.example'] } };
  const none = await responses.create({ ...ask, tools: [nowhere] });
  expect(none.output_text).toContain('Results may only be from: other.example');
});

test('the filter holds when the output of a tool continues the response', async ({ service }) => {
  const { responses } = connect(service);
  const lookup = { type: 'function' as const, name: 'lookup', parameters: { type: 'object' }, strict: false };
  const filtered = { type: 'web_search' as const, filters: { allowed_domains: ['other.example'] } };
  const input = `use lookup {}\n${search('ferry')}`;
  const asked = await responses.create({ model: 'm', tools: [lookup, filtered], input });
  const call = asked.output.find(({ type }) => type === 'function_call');
  if (call?.type !== 'function_call') throw new Error('The call is missing.');
  const answered = await responses.create({
    model: 'm',
    previous_response_id: asked.id,
    input: [{ type: 'function_call_output', call_id: call.call_id, output: 'snow' }],
  });
  expect(answered.output_text).toContain('Results may only be from: other.example');
});

test('a search refuses a field that it can not honour', async ({ service }) => {
  const { responses } = connect(service);
  const refusals: [more: object, field: string][] = [
    [{ external_web_access: false }, 'external_web_access'],
    [{ search_context_size: 'huge' }, 'search_context_size'],
    [{ filters: { allowed_domains: ['https://a.example/'] } }, 'filters.allowed_domains[0]'],
    [{ filters: { allowed_domains: 'a.example' } }, 'filters.allowed_domains'],
    [{ user_location: { type: 'exact' } }, 'user_location.type'],
    [{ user_location: { type: 'approximate', country: 'Sweden' } }, 'user_location.country'],
    [{ search_content_types: ['text', 'image'] }, 'search_content_types[1]'],
  ];
  for (const [more, field] of refusals) {
    const tools = [{ type: 'web_search', ...more } as OpenAI.Responses.Tool];
    const refused = { status: 400, code: 'invalid_tool', param: `tools[0].${field}` };
    await expect(responses.create({ model: 'm', input: 'say no', tools })).rejects.toMatchObject(refused);
  }
  const twice = [{ type: 'web_search' as const }, { type: 'web_search_preview' as const }];
  await expect(responses.create({ model: 'm', input: 'say no', tools: twice })).rejects.toMatchObject({
    param: 'tools[1]',
  });
});

test('chat completions search with web_search_options, and have the citations', async ({ service }) => {
  const { chat } = connect(service);
  const ask = (content: string, options: OpenAI.ChatCompletionCreateParams.WebSearchOptions) =>
    chat.completions.create({ model: 'm', messages: [{ role: 'user', content }], web_search_options: options });
  const approximate = { city: 'Lund', country: 'SE' };
  const { choices } = await ask(search('ferry'), {
    search_context_size: 'low',
    user_location: { type: 'approximate', approximate },
  });
  const { content, annotations = [] } = choices[0]?.message ?? {};
  expect(engine.asked.at(-1)?.get('country')).toBe('SE');
  expect(annotations).toHaveLength(4);
  const { start_index, end_index, url } = annotations[0]?.url_citation ?? { start_index: 0, end_index: 0 };
  expect(content?.slice(start_index, end_index)).toBe(`([site0.example](${url}))`);
  const wrong = { search_context_size: 'huge' as 'high' };
  await expect(ask('say no', wrong)).rejects.toMatchObject({ param: 'web_search_options.search_context_size' });
});

test('the AI SDK sees the search and its sources', async ({ service }) => {
  const provider = createOpenAI({ baseURL: `${service.url}/v1`, apiKey: TOKEN });
  const asked = {
    model: provider('any-name'),
    tools: { web_search: provider.tools.webSearch({ searchContextSize: 'low' }) } as ToolSet,
  };
  const prompt = search('ferry');
  const { sources, toolResults, finishReason, responseMessages } = await generateText({ ...asked, prompt });
  expect(finishReason).toBe('stop');
  expect(toolResults).toMatchObject([
    { providerExecuted: true, output: { action: { type: 'search', query: 'ferry' } } },
  ]);
  expect(sources).toContainEqual(expect.objectContaining({ sourceType: 'url', url: 'https://site0.example/ferry' }));
  const streamed = streamText({ ...asked, prompt });
  await streamed.consumeStream();
  expect((await streamed.sources).map((source) => source.sourceType === 'url' && source.url)).toContain(
    'https://site3.example/ferry',
  );
  const messages: ModelMessage[] = [...responseMessages, { role: 'user', content: 'say yes' }];
  expect((await generateText({ ...asked, messages })).text).toBe('yes');
});

test('LangChain reads the annotations', async ({ service }) => {
  const chat = new ChatOpenAI({
    model: 'any-name',
    apiKey: TOKEN,
    configuration: { baseURL: `${service.url}/v1` },
    useResponsesApi: true,
    maxRetries: 0,
  }).bindTools([{ type: 'web_search' }]);
  const { content } = await chat.invoke(search('ferry'));
  expect(content).toMatchObject([
    { type: 'text', annotations: expect.arrayContaining([expect.objectContaining({ type: 'citation' })]) },
  ]);
});
