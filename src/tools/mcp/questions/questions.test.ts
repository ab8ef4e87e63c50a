import { expect, test } from 'vitest';
import { InputRequired } from '../../tool.ts';
import { createCallQuestions } from './call-questions.ts';
import { cleanQuestion } from './clean-question.ts';

const form = (properties: object, more: object = {}) => ({
  message: 'Which?',
  requestedSchema: { type: 'object', properties, ...more },
});

test('reads choices in both notations of the protocol', () => {
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
  ['an invalid name', form({ 'a b': { type: 'string' } })],
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

function errorOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('a server that never stops asking is refused, and so is a state that is too large', () => {
  const ask = (answered?: { state: object; input: object }) =>
    errorOf(() =>
      createCallQuestions(answered && { state: answered.state, input: {} }).answerResult({
        inputRequests: { q: { method: 'elicitation/create', params: form({}) } },
      }),
    );
  let asked = ask();
  for (let round = 1; asked instanceof InputRequired; round++) {
    expect(round).toBeLessThanOrEqual(10);
    asked = ask({ state: asked.state, input: {} });
  }
  expect(String(asked)).toContain('more than 10 questions');
  const large = {
    inputRequests: { q: { method: 'elicitation/create', params: form({}) } },
    requestState: 'x'.repeat(70_000),
  };
  expect(() => createCallQuestions(undefined).answerResult(large)).toThrow('too large');
});

test('several questions at once are asked one after the other, without the server', () => {
  const request = (message: string) => ({ method: 'elicitation/create', params: { ...form({}), message } });
  const result = { inputRequests: { one: request('One?'), two: request('Two?'), roots: { method: 'roots/list' } } };
  const asked = () => createCallQuestions(undefined).answerResult({ ...result, requestState: 's' });
  const first = errorOf(asked) as InputRequired;
  expect(first.question.message).toBe('One?');
  const second = errorOf(() => createCallQuestions({ state: first.state, input: {} }).resume()) as InputRequired;
  expect(second.question.message).toBe('Two?');
  expect(createCallQuestions({ state: second.state, input: {} }).resume()).toEqual({
    inputResponses: {
      roots: { roots: [] },
      one: { action: 'accept', content: {} },
      two: { action: 'accept', content: {} },
    },
    requestState: 's',
  });
});

test('a server that asks the model (sampling) is refused', () => {
  const result = { inputRequests: { s: { method: 'sampling/createMessage', params: { messages: [] } } } };
  expect(() => createCallQuestions(undefined).answerResult(result)).toThrow('does not have');
});
