import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { CAPABILITIES, FINE, probe, probeJourney, request, SECRET } from '../../support/probe-journey.ts';
import { textOf } from '../../support/service.ts';

const test = probeJourney();

test.beforeAll(async ({ install, rebornDone }) => {
  await install('probe', CAPABILITIES, 'command');
  await rebornDone(['tool', 'setup', 'probe'], `${SECRET}\n`);
});

test.beforeEach(({ hosts, standIn }) => {
  hosts.answer = () => ({ text: FINE.text });
  hosts.addresses.clear();
  standIn.asked.length = 0;
});

test('a granted request is sent with the credential, which the tool never sees', async ({ service, standIn }) => {
  expect(await request(service, { url: 'https://api.example.com/v1/things?a=1' })).toEqual({
    status: 200,
    text: 'fine',
  });
  expect(standIn.asked).toMatchObject([{ host: 'api.example.com', headers: { authorization: `Bearer ${SECRET}` } }]);
  expect(await request(service, { url: 'https://eu.cdn.example.com/x' })).toEqual({ status: 200, text: 'fine' });
  expect(standIn.asked[1]?.headers.authorization).toBeUndefined();
});

test.for([
  'https://other.example.com/v1/',
  'https://cdn.example.com/',
  'https://api.example.com.evil.test/v1/',
  'http://api.example.com/v1/',
  'https://api.example.com/v2/',
  'https://api.example.com/v1/../v2/',
  'https://api.example.com/v1/%2e%2e/v2/',
  'https://api.example.com/v1/..%2fv2/',
  'https://api.example.com/v1/a%2Fb',
  'https://api.example.com/v1/%5c..%5cv2',
  'https://user:password@api.example.com/v1/',
  'https://api.example.com@127.0.0.1/v1/',
  'https://127.0.0.1/v1/',
  'https://2130706433/v1/',
  'https://0177.0.0.1/v1/',
  'https://0x7f.1/v1/',
  'https://[::1]/v1/',
  'https://[::ffff:127.0.0.1]/v1/',
  'https://[64:ff9b::7f00:1]/v1/',
  'file:///etc/passwd',
])('%s is refused, and nothing is sent', async (url, { service, standIn }) => {
  expect(await request(service, { url })).toEqual({ error: expect.any(String) });
  expect(standIn.asked).toEqual([]);
});

test.for([
  { method: 'DELETE', url: 'https://api.example.com/v1/' },
  { method: 'get', url: 'https://eu.cdn.example.com/', headers: { 'x\r\nhost': 'evil' } },
  { url: 'https://api.example.com/v1/', headers: { a: 'b\r\nauthorization: mine' } },
  { url: 'https://api.example.com/v1/', headers: { host: 'evil.test' } },
  { url: 'https://api.example.com/v1/', headers: { 'transfer-encoding': 'chunked' } },
])('%j is refused, and nothing is sent', async (asked, { service, standIn }) => {
  expect(await request(service, asked)).toEqual({ error: expect.any(String) });
  expect(standIn.asked).toEqual([]);
});

test('a credential header that the tool sets is replaced', async ({ service, standIn }) => {
  await request(service, { url: 'https://api.example.com/v1/', headers: { Authorization: 'Bearer mine' } });

  expect(standIn.asked[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
});

test.for(['10.0.0.5', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1', '64:ff9b::a9fe:a9fe'])(
  'a granted host name that resolves to %s is not dialled, and the tool does not see the address',
  async (address, { service, standIn, hosts }) => {
    hosts.addresses.set('api.example.com', address);
    const refused = await request(service, { url: 'https://api.example.com/v1/' });

    expect(refused).toEqual({ error: expect.not.stringContaining(address) });
    expect(standIn.asked).toEqual([]);
  },
);

test('a redirect is returned as the answer and not followed', async ({ service, standIn, hosts }) => {
  hosts.answer = () => ({ status: 302, text: 'go to http://169.254.169.254/' });

  expect(await request(service, { url: 'https://api.example.com/v1/' })).toMatchObject({ status: 302 });
  expect(standIn.asked).toHaveLength(1);
});

test.for([
  SECRET,
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('hex'),
  JSON.stringify({ authorization: `Bearer ${SECRET}` }),
])('a credential that the upstream echoes is hidden from the tool: %s', async (text, { service, model, hosts }) => {
  hosts.answer = () => ({ text: `before ${text} after` });
  const result = await request(service, { url: 'https://api.example.com/v1/' });

  expect(result).toEqual({ status: 200, text: expect.stringContaining('[redacted:probe_key]') });
  expect(JSON.stringify(result)).not.toContain(SECRET);
  expect(JSON.stringify(model.seen.at(-1))).not.toContain(SECRET);
});

test('a tool can check for the secrets in its capabilities, and for no others', async ({ service }) => {
  expect(await probe(service, { secrets: ['probe_key', 'other_key', 'webhook-route:x'] })).toMatchObject({
    secrets: [true, false, false],
  });
});

test('a tool that sends its own secret is stopped, forbidden for this user, and recorded in the audit log', async ({
  service,
  standIn,
  rebornDone,
}) => {
  const url = 'https://api.example.com/v1/?key=';
  const backwards = Array.from(SECRET).toReversed().join('');
  const requests = [{ url, backwards }, { url: `${url}other` }];
  expect(await probe(service, { requests })).toEqual({ error: expect.stringContaining('The call was ended') });
  expect(standIn.asked).toEqual([]);

  expect(textOf(await service.ask(`use probe ${JSON.stringify({ requests: [{ url }] })}`))).toContain('forbidden');
  const { entries } = (await (await service.request('/api/audit?limit=100')).json()) as {
    entries: { action: string; subject: string; detail: object }[];
  };
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'tool.quarantine', subject: 'probe', detail: { secret: 'probe_key' } }),
  );
  await rebornDone(['policy', 'unset', 'probe@operator']);
  expect(await request(service, { url })).toEqual(FINE);
});

test('installs, stored secrets and their use are in the audit log by name only', async ({ service }) => {
  const { entries } = (await (await service.request('/api/audit?limit=100')).json()) as {
    entries: { action: string; actor: string; subject: string }[];
  };
  const recorded = entries.map(({ action, actor, subject }) => `${actor} ${action} ${subject}`);

  expect(recorded).toContain('operator tool.install probe');
  expect(recorded).toContain('operator secret.put probe_key');
  expect(recorded).toContain('operator secret.use probe');
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});

test('the key file in the home folder does not contain a secret', async ({ home }) => {
  expect((await readFile(path.join(home.home, 'secrets-key'), 'utf8')).includes(SECRET)).toBe(false);
});
