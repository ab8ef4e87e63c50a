import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { clientOf, type Service, textOf, type WireResponse } from '../../support/service.ts';

const test = journey().override('settings', { CHAT_RATE_PER_MINUTE: '1000' });

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }));
const user = (content: string) => ({ type: 'message', role: 'user', content });
const output = (callId: string, said: string) => ({ type: 'function_call_output', call_id: callId, output: said });

const callOf = ({ output: items }: WireResponse) => {
  const call = items.find((item) => item.type === 'function_call');
  if (!call) throw new Error(`The items have no call: ${JSON.stringify(items)}`);
  return call as unknown as { call_id: string; name: string; arguments: string };
};
const threadOf = ({ id }: WireResponse) => id.slice(-32);

async function openGates(service: Service): Promise<{ thread_id: string }[]> {
  const answer = (await (await service.request('/api/gates?limit=100')).json()) as { gates: { thread_id: string }[] };
  return answer.gates;
}

test('a client that sends the whole history again after each of two parallel calls stays in one thread', async ({
  service,
}) => {
  const input: unknown[] = [user('use first {"a": 1}\nuse second {"b": 2}')];
  const first = await service.ask(input, { tools });
  expect(callOf(first).name).toBe('first');
  // Clients parse the arguments and write them again.
  input.push({ ...callOf(first), arguments: '{"a":1}' }, output(callOf(first).call_id, 'one'));
  const second = await service.ask(input, { tools });
  expect(callOf(second).name).toBe('second');
  input.push(callOf(second), output(callOf(second).call_id, 'two'));
  const last = await service.ask(input, { tools });

  expect(textOf(last)).toBe('result: two');
  expect(new Set([first, second, last].map(threadOf)).size).toBe(1);
  expect(await openGates(service)).toEqual([]);
});

test('with an edited history a new thread starts, and the gate of the old thread is closed', async ({ service }) => {
  const first = await service.ask([user('use first {}')], { tools });
  const { call_id: callId } = callOf(first);
  const edited = await service.ask([user('use first {} please'), callOf(first), output(callId, 'one')], { tools });

  expect(textOf(edited)).toBe('result: one');
  expect(threadOf(edited)).not.toBe(threadOf(first));
  expect(await openGates(service)).toEqual([]);
  expect(textOf(await service.ask('say on', { previous_response_id: first.id }))).toBe('on');
});

test("a replay never continues another user's thread", async ({ service }) => {
  const first = await service.ask([user('use first {}')], { tools });
  const { token } = await addUser(service, 'Ann');
  const ann = clientOf(service.url);
  const answer = await ann.request('/api/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({
      model: 'm',
      input: [user('use first {}'), callOf(first), output(callOf(first).call_id, 'stolen')],
      tools,
    }),
  });
  const response = (await answer.json()) as WireResponse;

  expect(textOf(response)).toBe('result: stolen');
  expect(threadOf(response)).not.toBe(threadOf(first));
  expect((await openGates(service)).map(({ thread_id: id }) => id.replaceAll('-', ''))).toEqual([threadOf(first)]);
  const resumed = await service.ask([output(callOf(first).call_id, 'mine')], { previous_response_id: first.id });
  expect(textOf(resumed)).toBe('result: mine');
});

test('instructions apply with a tool result, and a pending call still surfaces', async ({ service, model }) => {
  const first = await service.ask('use first {}\nuse second {}', { tools, instructions: 'Be calm.' });
  const second = await service.ask([output(callOf(first).call_id, 'one')], {
    previous_response_id: first.id,
    instructions: 'Be brief.',
  });
  expect(callOf(second).name).toBe('second');
  await service.ask([output(callOf(second).call_id, 'two')], { previous_response_id: second.id });

  const said = model.seen.at(-1)?.messages.map(({ text }) => text) ?? [];
  expect(said.findIndex((text) => text.includes('Be brief.'))).toBeGreaterThan(said.indexOf('two'));
});

test('instructions and context reach the model when the input has no message of the user', async ({
  service,
  model,
}) => {
  const newest = () => model.seen.at(-1)?.messages.map(({ text }) => text) ?? [];
  const framed = { instructions: 'Be calm.', x_context: { page: 'Home' } };
  for (const role of ['developer', 'assistant']) {
    await service.ask([{ role, content: 'Hello.' }], framed);
    expect(newest().join('\n')).toMatch(/Hello\..*Be calm\..*\[Context: page: "Home"\]/s);
  }

  const first = await service.ask([{ role: 'user', content: 'use first {}' }], { tools, ...framed });
  const resume = { previous_response_id: first.id, ...framed, x_context: { page: 'Shop' } };
  await service.ask([output(callOf(first).call_id, 'one')], resume);
  expect(newest().at(-1)).toContain('<user-context>\n[Context: page: "Shop"]\n</user-context>');
  expect(newest().at(-1)).not.toContain('Be calm.');
});

test('a replay adds its context when it has changed', async ({ service, model }) => {
  const input: unknown[] = [{ role: 'developer', content: 'Use it.' }, user('use first {}\nuse second {}')];
  const first = await service.ask(input, { tools, x_context: { page: 'Home' } });
  input.push(callOf(first), output(callOf(first).call_id, 'one'));
  const second = await service.ask(input, { tools, x_context: { page: 'Home' } });
  input.push(callOf(second), output(callOf(second).call_id, 'two'));
  const last = await service.ask(input, { tools, x_context: { page: 'Shop' } });

  expect(threadOf(last)).toBe(threadOf(first));
  const said =
    model.seen
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n') ?? '';
  expect(said.match(/page: "Home"/g)).toHaveLength(1);
  expect(said.match(/page: "Shop"/g)).toHaveLength(1);
});

test('a replay adds its instructions only when they have changed', async ({ service, model }) => {
  const ask = (input: unknown, instructions: string) => service.ask(input, { tools, instructions });
  const input: unknown[] = [user('use first {}\nuse second {}')];
  for (const instructions of ['Be calm.', 'Be calm.', 'Be brief.']) {
    const answer = await ask(input, instructions);
    if (instructions === 'Be brief.') break;
    input.push(callOf(answer), output(callOf(answer).call_id, 'done'));
  }

  const said =
    model.seen
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join('\n') ?? '';
  expect(said.match(/Be calm\./g)).toHaveLength(1);
  expect(said.match(/Be brief\./g)).toHaveLength(1);
});

test('an empty list of tools on a resume empties the catalog', async ({ service, model }) => {
  const first = await service.ask('use first {}', { tools });
  await service.ask([output(callOf(first).call_id, 'one')], { previous_response_id: first.id, tools: [] });

  expect(model.seen.at(-1)?.tools).not.toContain('first');
});

test('a replay is found beside a call with characters that PostgreSQL can not read inside JSON', async ({
  service,
}) => {
  for (const odd of ['\u0000', '\ud800'])
    await service.ask([{ type: 'function_call', call_id: `odd${odd}`, name: 'first', arguments: `"${odd}"` }], {
      tools,
    });
  const first = await service.ask([user('use first {}')], { tools });
  const answered = await service.ask([user('use first {}'), callOf(first), output(callOf(first).call_id, 'one')], {
    tools,
  });

  expect(textOf(answered)).toBe('result: one');
  expect(threadOf(answered)).toBe(threadOf(first));
});
