import OpenAI, { toFile } from 'openai';
import { expect } from 'vitest';
import { responseObject } from '#channels/responses/response/response-object.ts';
import { streamEvent } from '#channels/responses/response/stream-event.ts';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

const test = journey().override('settings', { SANDBOX: 'auto', RESPONSES_HOSTED_TOOLS: 'code_interpreter,shell' });

const connect = (service: Service, apiKey = TOKEN) =>
  new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 });

const csv = (text: string) => toFile(Buffer.from(text), 'costs.csv');
const python = (code: string) => `use reborn_python ${JSON.stringify({ code })}`;
const shell = (command: string) => `use reborn_shell ${JSON.stringify({ command })}`;
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
  await expect(ask({ type: 'web_search' })).rejects.toMatchObject({ ...refused, param: 'tools[0].type' });
  const unknown = { type: 'auto', file_ids: [`file-${'0'.repeat(32)}`] };
  await expect(ask({ type: 'code_interpreter', container: unknown })).rejects.toMatchObject(refused);
});
