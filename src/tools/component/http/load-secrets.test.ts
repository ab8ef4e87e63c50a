import { expect, test } from 'vitest';
import { parseCapabilities } from '../capabilities/parse-capabilities.ts';
import { loadSecrets } from './load-secrets.ts';

const CAPABILITIES = parseCapabilities({
  http: {
    allowlist: [{ host: 'api.example.com', path_prefix: '/', methods: ['GET'] }],
    credentials: { main: { secret_name: 'sent', location: { type: 'bearer' }, host_patterns: ['api.example.com'] } },
  },
  secrets: { allowed_names: ['tested', 'sent'] },
  auth: {
    secret_name: 'token',
    oauth: {
      authorization_url: 'https://id.example.com/a',
      token_url: 'https://id.example.com/t',
      client_id_secret: 'client_id',
      client_secret_secret: 'client_secret',
      scopes: [],
    },
  },
  setup: {
    required_secrets: [
      { name: 'needed', prompt: 'Needed' },
      { name: 'spare', prompt: 'Spare', optional: true },
    ],
  },
});

test('every secret that a capabilities file names is read, once', async () => {
  const asked: string[] = [];
  const secrets = await loadSecrets(CAPABILITIES, async (name) => {
    asked.push(name);
    return `value of ${name}`;
  });

  expect(asked.toSorted()).toEqual(['client_id', 'client_secret', 'needed', 'sent', 'spare', 'tested', 'token']);
  expect(secrets.values.get('token')).toBe('value of token');
  expect([...secrets.optional]).toEqual(['spare']);
});

test('a secret without a value is none', async () => {
  const { values } = await loadSecrets(CAPABILITIES, async (name) => (name === 'sent' ? '' : undefined));
  expect([...values]).toEqual([]);
});
