import { expect, test } from 'vitest';
import { InputRequired } from '../../tool.ts';
import { cleanModelRequest } from './clean-model-request.ts';
import { cleanQuestion } from './clean-question.ts';
import { createConversation } from './conversation.ts';
import { lendModel, type ModelResponse } from './lend-model.ts';

const form = (properties: object, more: object = {}) => ({
  message: 'Which?',
  requestedSchema: { type: 'object', properties, ...more },
});

test('the ways in which the protocol writes choices are one', () => {
  const question = cleanQuestion(
    form({
      plain: { type: 'string', enum: ['a', 'b'] },
      named: { type: 'string', enum: ['a'], enumNames: ['A'] },
      titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      several: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, maxItems: 1 },
    }),
  );
  expect(question?.fields.map(({ type, options }) => [type, options.map(({ label }) => label).join()])).toEqual([
    ['choice', 'a,b'],
    ['choice', 'A'],
    ['choice', 'A'],
    ['choices', 'A'],
  ]);
});

const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, { type: 'string' }]));

test.each([
  ['no message', { requestedSchema: { type: 'object', properties: {} } }],
  ['no schema', { message: 'Which?' }],
  ['too many fields', form(many)],
  ['nested fields', form({ a: { type: 'object', properties: {} } })],
  ['a name that is no name', form({ 'a b': { type: 'string' } })],
  ['too many choices', form({ a: { type: 'string', enum: Array.from({ length: 101 }, String) } })],
  ['plain http', { mode: 'url', message: 'Pay.', url: 'http://pay.example.com/' }],
  ['a script', { mode: 'url', message: 'Pay.', url: 'javascript:alert(1)' }],
  ['a password in the address', { mode: 'url', message: 'Pay.', url: 'https://a:b@pay.example.com/' }],
])('a question with %s is not shown', (_what, params) => {
  expect(cleanQuestion(params)).toBeUndefined();
});

test('texts are bounded and have no invisible characters, and patterns are ignored', () => {
  const question = cleanQuestion(
    form({ a: { type: 'string', title: `T\u202e${'x'.repeat(900)}`, pattern: '^(a+)+$' } }),
  );
  expect(question?.fields[0]?.title).not.toContain('\u202e');
  expect(question?.fields[0]?.title.length).toBeLessThan(400);
});

const errorOf = (act: Promise<unknown>): Promise<unknown> => act.catch((error: unknown) => error);

test('a server that never stops asking is refused, and so is a state that is too large', async () => {
  const ask = (answered?: { state: object; input: object }) =>
    errorOf(
      createConversation(answered && { state: answered.state, input: {} }).answerResult({
        inputRequests: { q: { method: 'elicitation/create', params: form({}) } },
      }),
    );
  let asked = await ask();
  for (let round = 1; asked instanceof InputRequired; round++) {
    expect(round).toBeLessThanOrEqual(10);
    asked = await ask({ state: asked.state, input: {} });
  }
  expect(String(asked)).toContain('more than 10 questions');
  const large = {
    inputRequests: { q: { method: 'elicitation/create', params: form({}) } },
    requestState: 'x'.repeat(70_000),
  };
  await expect(createConversation(undefined).answerResult(large)).rejects.toThrow('too large');
});

test('several questions at once are asked one after the other, without the server', async () => {
  const request = (message: string) => ({ method: 'elicitation/create', params: { ...form({}), message } });
  const result = { inputRequests: { one: request('One?'), two: request('Two?'), roots: { method: 'roots/list' } } };
  const asked = createConversation(undefined).answerResult({ ...result, requestState: 's' });
  const first = (await errorOf(asked)) as InputRequired;
  expect(first.question.message).toBe('One?');
  const second = (await errorOf(createConversation({ state: first.state, input: {} }).resume())) as InputRequired;
  expect(second.question.message).toBe('Two?');
  expect(await createConversation({ state: second.state, input: {} }).resume()).toEqual({
    inputResponses: {
      roots: { roots: [] },
      one: { action: 'accept', content: {} },
      two: { action: 'accept', content: {} },
    },
    requestState: 's',
  });
});

const forModel = (text: string, more: object = {}) => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens: 100,
  ...more,
});
const reply = (text: string): ModelResponse => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'm',
  stopReason: 'endTurn',
});

test('a server without the allowance to use the model is refused, in both forms of the protocol', async () => {
  const result = { inputRequests: { s: { method: 'sampling/createMessage', params: forModel('Hi.') } } };
  await expect(createConversation(undefined).answerResult(result)).rejects.toThrow('not allowed');
  await expect(createConversation(undefined).answerAsModel(forModel('Hi.'))).rejects.toThrow('not allowed');
});

test('the model is asked after the person, and the answers go back together', async () => {
  const asked: unknown[] = [];
  const model = async (params: unknown) => {
    asked.push(params);
    return reply('Hi!');
  };
  const result = {
    inputRequests: {
      s: { method: 'sampling/createMessage', params: forModel('Hi.') },
      q: { method: 'elicitation/create', params: form({}) },
    },
    requestState: 's',
  };
  const first = (await errorOf(createConversation(undefined, model).answerResult(result))) as InputRequired;
  expect([first.question.message, asked]).toEqual(['Which?', []]);
  expect(await createConversation({ state: first.state, input: {} }, model).resume()).toEqual({
    inputResponses: { q: { action: 'accept', content: {} }, s: reply('Hi!') },
    requestState: 's',
  });
  expect(asked).toEqual([forModel('Hi.')]);
  // After the answer, the model may no longer be used.
  await expect(createConversation({ state: first.state, input: {} }).resume()).rejects.toThrow('not allowed');
});

test('a flood of requests to the model: five are answered one after the other, and the rest refused', async () => {
  let running = 0;
  const model = async () => {
    expect(++running).toBe(1);
    await Promise.resolve();
    running--;
    return reply('ok');
  };
  const conversation = createConversation(undefined, model);
  const settled = await Promise.allSettled(
    Array.from({ length: 100 }, () => conversation.answerAsModel(forModel('x'))),
  );
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);

  // A question in between does not start the count again.
  conversation.answer(form({}));
  const state = conversation.pending()?.state ?? {};
  const later = createConversation({ state, input: {} }, model);
  await expect(later.answerAsModel(forModel('x'))).rejects.toThrow('more than 5 times');
});

test('an error of ours is not shown to the server, and ends the call', async () => {
  const conversation = createConversation(undefined, () => Promise.reject(new Error('password of the database')));
  const shown = await errorOf(conversation.answerAsModel(forModel('x')));
  expect(String(shown)).not.toContain('password');
  expect(() => conversation.check()).toThrow('password of the database');
});

const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
const use = { type: 'tool_use', id: 't', name: 'shell', input: {} };

test.each([
  ['no messages', { messages: [] }],
  ['too many messages', { messages: Array.from({ length: 51 }, () => forModel('x').messages[0]) }],
  ['64 KiB and one byte', forModel('x'.repeat(64 * 1024 + 1))],
  ['long instructions', forModel('x', { systemPrompt: 'é'.repeat(33 * 1024) })],
  ['a picture', { messages: [{ role: 'user', content: image }] }],
  ['the use of a tool', { messages: [{ role: 'assistant', content: [use] }] }],
  ['tools', forModel('x', { tools: [{ name: 'shell', inputSchema: { type: 'object' } }] })],
  ['a message of the system', { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }],
  ['no parameters', undefined],
])('a request to the model with %s is refused before the model is asked', (_what, params) => {
  expect(() => cleanModelRequest(params)).toThrow('was refused');
});

test('a request to the model has a limit of tokens, and brings no context', () => {
  const more = { maxTokens: 1e9, temperature: 99, includeContext: 'allServers', systemPrompt: 'Be brief.' };
  expect(cleanModelRequest(forModel('Hi.', more))).toEqual({
    instructions: 'Be brief.',
    messages: [{ role: 'user', text: 'Hi.' }],
    maxTokens: 4096,
    temperature: null,
  });
});

test('a server uses the model only if the operator allows it, and not too often', async () => {
  const askModel = async () => ({ text: 'Hi!', model: 'm', isCut: false });
  const context = { owner: { userId: 'ann' }, askModel };
  const yes = async () => ({ isAllowed: true, retryInSeconds: 0 });
  expect(lendModel({ id: 's', sampling: false }, yes, context)).toBeUndefined();
  expect(lendModel({ id: 's', sampling: true }, yes, { owner: context.owner })).toBeUndefined();
  const lent = lendModel({ id: 's', sampling: true }, yes, context);
  expect(await lent?.(forModel('Hi.'))).toEqual({ ...reply('Hi!') });
  const no = async () => ({ isAllowed: false, retryInSeconds: 7 });
  await expect(lendModel({ id: 's', sampling: true }, no, context)?.(forModel('Hi.'))).rejects.toThrow('7 seconds');
});
