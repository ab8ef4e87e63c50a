import { expect, test } from 'vitest';
import { secretLikeParams } from './secret-like-params.ts';

const asking = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

test.each([
  'token',
  'access_token',
  'apiKey',
  'api_key',
  'API-KEY',
  'apikey',
  'password',
  'userPassword',
  'client_secret',
])('a param named %s looks like a secret', (name) => {
  expect(secretLikeParams(asking('city', name))).toEqual([name]);
});

test.each([
  'credentials',
  'private_key',
  'bearer',
  'Authorization',
  'passphrase',
  'pwd',
  'jwt',
  'secretAccessKey',
  'session_cookie',
])('so does one named %s', (name) => {
  expect(secretLikeParams(asking(name))).toEqual([name]);
});

test('words that only hold such a word do not', () => {
  const names = [
    'max_tokens',
    'maxOutputTokens',
    'next_page_token',
    'pageToken',
    'tokenCount',
    'tokenizer',
    'secretary',
  ];
  expect(secretLikeParams(asking(...names, 'key', 'passenger', 'compass', 'monkey', 'city', 'keyboard'))).toEqual([]);
});

test('a secret is found wherever the schema has properties', () => {
  const schema = {
    oneOf: [asking('token'), { allOf: [asking('token')] }],
    $defs: { login: asking('password') },
    properties: { auth: { items: asking('api_key') }, hidden: { type: 'string', format: 'password' } },
  };
  expect(secretLikeParams(schema)).toEqual(['token', 'password', 'auth.api_key', 'hidden']);
});

test('values and other non-schemas are not searched', () => {
  expect(secretLikeParams({ ...asking('city'), default: asking('token'), enum: [asking('token')] })).toEqual([]);
  for (const nothing of [null, undefined, 'token', 5, [], { properties: null }, { properties: 'token' }])
    expect(secretLikeParams(nothing)).toEqual([]);
});

test('a schema that goes around in circles comes to an end', () => {
  const schema: Record<string, unknown> = asking('token');
  schema['items'] = schema;
  expect(secretLikeParams(schema)).toEqual(['token']);
});
