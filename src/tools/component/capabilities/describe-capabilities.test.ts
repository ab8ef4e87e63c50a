import { expect, test } from 'vitest';
import { describeCapabilities } from './describe-capabilities.ts';
import { parseCapabilities } from './parse-capabilities.ts';

const LIMITS = 'may take 64 MiB of memory, 10 s of computing and 60 s in all for a call';
const describeFile = (file: object) => describeCapabilities(parseCapabilities(file)).map(({ text }) => text);

test('a tool without http can reach nothing', () => {
  expect(describeFile({})).toEqual(['can reach nothing', LIMITS]);
  const closed = { host: 'api.example.com', path_prefix: '/', methods: [] };
  expect(describeFile({ http: { allowlist: [closed] } })).toEqual(['can reach nothing', LIMITS]);
});

test('the sentences name every capability in the file', () => {
  const to = (location: object) => ({
    secret_name: 'key',
    location,
    host_patterns: ['api.example.com', '*.example.org'],
  });
  const file = {
    http: {
      allowlist: [
        { host: 'api.example.com', path_prefix: '/bot{token}/', methods: ['GET', 'GET', 'POST', 'DELETE'] },
        { host: '*.example.org', path_prefix: '/v1/', methods: ['GET'] },
      ],
      rate_limit: { requests_per_hour: 5_000 },
      credentials: {
        a: to({ type: 'bearer' }),
        b: to({ type: 'header', name: 'X-Key' }),
        c: to({ type: 'query_param', name: 'appid' }),
        d: to({ type: 'url_path', placeholder: 'token' }),
      },
    },
    secrets: { allowed_names: ['key'] },
    auth: {
      secret_name: 'key',
      env_var: 'EXAMPLE_KEY',
      oauth: {
        authorization_url: 'https://id.example.com/a',
        token_url: 'https://token.example.com/t',
        client_id_secret: 'id',
        client_secret_env: 'CLIENT_SECRET',
        scopes: ['read', 'write'],
      },
    },
    setup: {
      required_secrets: [
        { name: 'id', prompt: 'Id' },
        { name: 'extra', prompt: 'Extra', optional: true },
      ],
    },
  };

  expect(describeFile(file)).toEqual([
    'may GET, POST and DELETE api.example.com/bot{token}/',
    'may GET *.example.org/v1/ (every host below example.org)',
    'makes at most 60 requests a minute and 5,000 an hour',
    'sends the secret key as a bearer token to api.example.com and *.example.org',
    'sends the secret key in the header X-Key to api.example.com and *.example.org',
    'sends the secret key in the query parameter appid to api.example.com and *.example.org',
    'sends the secret key in the path, in place of {token}, to api.example.com and *.example.org',
    'may ask whether the secret key exists',
    'takes the secret key from the environment variable EXAMPLE_KEY when that is set',
    'signs in at id.example.com for read and write',
    'gets its access token from token.example.com',
    'reads the environment variable CLIENT_SECRET to sign in',
    'needs the secret id',
    'can use the secret extra',
    LIMITS,
  ]);
});

test('basic authentication names its user, and the secret as the password', () => {
  const location = { type: 'basic', username: 'me' };
  const [, , sentence] = describeFile({
    http: {
      allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }],
      credentials: { a: { secret_name: 'key', location, host_patterns: ['api.example.com'] } },
    },
  });
  expect(sentence).toBe('sends the secret key as the password of me to api.example.com');
});

test('write methods and uses of a secret or of the environment are dangerous', () => {
  const target = (host: string, ...methods: string[]) => ({ host, path_prefix: '/', methods });
  const sentences = describeCapabilities(
    parseCapabilities({
      http: {
        allowlist: [
          target('read.example.com', 'GET', 'HEAD'),
          target('POST.example.com', 'GET'),
          target('a.example', 'DELETE'),
        ],
        credentials: { a: { secret_name: 'key', location: { type: 'bearer' }, host_patterns: ['a.example'] } },
      },
      secrets: { allowed_names: ['key'] },
      auth: { secret_name: 'key', env_var: 'EXAMPLE_KEY' },
      setup: { required_secrets: [{ name: 'key', prompt: 'Key' }] },
    }),
  );

  expect(sentences.filter(({ dangerous }) => dangerous).map(({ text }) => text)).toEqual([
    'may DELETE a.example/',
    'sends the secret key as a bearer token to a.example',
    'takes the secret key from the environment variable EXAMPLE_KEY when that is set',
  ]);
});
