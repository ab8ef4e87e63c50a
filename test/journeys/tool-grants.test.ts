import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { expect } from 'vitest';
import type { Home } from '../support/fresh-home.ts';
import { test as journey } from '../support/journey.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type Service, textOf } from '../support/service.ts';
import { type Answer, type Asked, startStandIn } from '../support/stand-in.ts';
import { waitFor } from '../support/wait-for.ts';

const SECRET = 'probe-secret-0123456789';
const CAPABILITIES = {
  version: '1.0.0',
  wit_version: '1.0.0',
  http: {
    allowlist: [
      { host: 'api.example.com', path_prefix: '/v1/', methods: ['GET', 'POST'] },
      { host: '*.cdn.example.com', path_prefix: '/', methods: ['GET'] },
    ],
    rate_limit: { requests_per_minute: 1000, requests_per_hour: 1000 },
    credentials: {
      main: { secret_name: 'probe_key', location: { type: 'bearer' }, host_patterns: ['api.example.com'] },
    },
  },
  secrets: { allowed_names: ['probe_key'] },
  setup: { required_secrets: [{ name: 'probe_key', prompt: 'The key of the probe' }] },
};

let answer: (asked: Asked) => Answer;
const addresses = new Map<string, string>();
const test = journey
  .extend('standIn', { scope: 'file' }, async ({}, { onCleanup }) => {
    const standIn = await startStandIn((asked) => answer(asked));
    onCleanup(() => standIn.close());
    return standIn;
  })
  .override('parts', ({ standIn }) => ({
    network: { ...standIn.network, resolve: async (host) => [addresses.get(host) ?? '93.184.215.14'] },
  }))
  .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'reborn-test-'));
    onCleanup(() => rm(folder, { recursive: true }));
    return folder;
  })
  .extend('wasm', { scope: 'file' }, async () => (await buildTool('test/fixtures/tools/probe')).path)
  .extend('rebornDone', { scope: 'file' }, ({ home }) => async (args: readonly string[], input = ''): Promise<void> => {
    const { code, stdout, stderr } = await runReborn(args, { env: home.env, input });
    if (code !== 0 || stdout.includes(SECRET)) throw new Error(`reborn ${args.join(' ')}: ${stdout}${stderr}`);
  })
  .extend(
    'install',
    { scope: 'file' },
    ({ service, model, folder, wasm, rebornDone }) =>
      async (name: string, capabilities: object): Promise<void> => {
        const file = path.join(folder, `${name}.json`);
        await writeFile(file, JSON.stringify(capabilities));
        const args = ['tool', 'install', wasm, '--capabilities', file, '--name', name];
        await rebornDone(args);
        await rebornDone(['policy', 'set', name, 'allow']); // it can write, and these tests are about later checks
        await waitFor(`${name} to be offered`, async () => {
          await service.ask('say ready');
          return model.seen.at(-1)?.tools.includes(name);
        });
      },
  );

test.beforeAll(async ({ install, rebornDone }) => {
  await install('probe', CAPABILITIES);
  await rebornDone(['tool', 'setup', 'probe'], `${SECRET}\n`);
});

test.beforeEach(({ standIn }) => {
  answer = () => ({ text: 'fine' });
  addresses.clear();
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
  async (address, { service, standIn }) => {
    addresses.set('api.example.com', address);
    const refused = await request(service, { url: 'https://api.example.com/v1/' });

    expect(refused).toEqual({ error: expect.not.stringContaining(address) });
    expect(standIn.asked).toEqual([]);
  },
);

test('a redirect is returned as the answer and not followed', async ({ service, standIn }) => {
  answer = () => ({ status: 302, text: 'go to http://169.254.169.254/' });

  expect(await request(service, { url: 'https://api.example.com/v1/' })).toMatchObject({ status: 302 });
  expect(standIn.asked).toHaveLength(1);
});

test.for([
  SECRET,
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('hex'),
  JSON.stringify({ authorization: `Bearer ${SECRET}` }),
])('a credential that the upstream echoes is hidden from the tool: %s', async (text, { service, model }) => {
  answer = () => ({ text: `before ${text} after` });
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

test('the rate limit holds across replicas', async ({ service, install, startAnother }) => {
  const rate_limit = { requests_per_minute: 5, requests_per_hour: 100 };
  await install('slow_probe', { ...CAPABILITIES, http: { ...CAPABILITIES.http, rate_limit } });
  const other = await startAnother();
  const url = 'https://eu.cdn.example.com/';
  const here = await probe(service, { requests: Array.from({ length: 3 }, () => ({ url })) }, 'slow_probe');
  const there = await probe(other, { requests: Array.from({ length: 3 }, () => ({ url })) }, 'slow_probe');
  await other.close();

  expect(here.answers).toEqual([FINE, FINE, FINE]);
  expect(there.answers).toEqual([FINE, FINE, { error: expect.stringMatching(/5 requests a minute|rate/i) }]);
});

test('a call without its credential waits at a gate, and answering the gate continues the same call', async ({
  service,
  home,
  install,
  standIn,
}) => {
  const auth = { secret_name: 'door_key', display_name: 'The Door', instructions: 'Ask the keeper.' };
  await install('door', { ...CAPABILITIES, auth, setup: {}, http: { ...CAPABILITIES.http, credentials: {} } });
  const script = 'use door {"requests":[{"url":"https://eu.cdn.example.com/"}]}';
  const waiting = await service.ask(script);
  expect(waiting).toMatchObject({ status: 'failed', error: { code: 'authentication_required' } });
  expect(standIn.asked).toEqual([]);

  const given = await runReborn(['tool', 'auth', 'door'], { env: home.env, input: 'open-sesame\n' });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('Ask the keeper.') });
  const [gate] = await openGates(home);
  const answered = await service.request(`/api/gates/${gate}`, { method: 'POST', body: '{"answer":"approve"}' });
  expect(answered.status).toBe(202);
  const { response_id } = (await answered.json()) as { response_id: string };
  const done = await waitFor('the thread to continue', async () => {
    const response = await service.get(response_id);
    return response.status === 'completed' ? response : undefined;
  });
  expect(textOf(done)).toContain('fine');
  expect(standIn.asked).toHaveLength(1);
  const again = await service.request(`/api/gates/${gate}`, { method: 'POST', body: '{"answer":"approve"}' });
  expect(again.status).toBe(404);
});

test('an installed tool that can write needs approval, and one that can only read does not', async ({
  service,
  install,
  rebornDone,
  standIn,
}) => {
  const allowlist = [{ host: '*.cdn.example.com', path_prefix: '/', methods: ['GET'] }];
  await install('writer', CAPABILITIES);
  await install('reader', { ...CAPABILITIES, http: { ...CAPABILITIES.http, allowlist, credentials: {} } });
  for (const name of ['writer', 'reader']) await rebornDone(['policy', 'unset', name]);
  const script = (name: string) => `use ${name} {"requests":[{"url":"https://eu.cdn.example.com/"}]}`;

  expect(await service.ask(script('writer'))).toMatchObject({ error: { code: 'approval_required' } });
  expect(standIn.asked).toEqual([]);
  expect(textOf(await service.ask(script('reader')))).toContain('fine');
});

test('denying a gate gives the call an output that says so', async ({ service, home, install }) => {
  const auth = { secret_name: 'cellar_key' };
  await install('cellar', { ...CAPABILITIES, auth, setup: {}, http: { ...CAPABILITIES.http, credentials: {} } });
  await service.ask('use cellar {}');
  const [gate] = await openGates(home);
  const body = JSON.stringify({ answer: 'deny', reason: 'Not today.' });
  const answered = await service.request(`/api/gates/${gate}`, { method: 'POST', body });
  const { response_id } = (await answered.json()) as { response_id: string };

  const done = await waitFor('the thread to continue', async () => {
    const response = await service.get(response_id);
    return response.status === 'completed' ? response : undefined;
  });
  expect(textOf(done)).toContain('Not today.');
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

test('installing under an existing name needs --force and replaces the tool on every replica', async ({
  service,
  home,
  folder,
  wasm,
}) => {
  const file = path.join(folder, 'probe.json');
  const args = ['tool', 'install', wasm, '--capabilities', file, '--name', 'probe'];
  await writeFile(
    file,
    JSON.stringify({ ...CAPABILITIES, http: { ...CAPABILITIES.http, allowlist: [], credentials: {} } }),
  );

  expect(await runReborn(args, { env: home.env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--force'),
  });
  expect(await runReborn([...args, '--force'], { env: home.env })).toMatchObject({ code: 0 });
  await waitFor('the new one', async () => 'error' in (await request(service, { url: 'https://eu.cdn.example.com/' })));
});

test('an invalid capabilities file is refused with every problem', async ({ home, folder, wasm }) => {
  const file = path.join(folder, 'wrong.json');
  await writeFile(file, JSON.stringify({ http: { allowlist: [{ host: 'https://x.example' }] }, filesystem: true }));
  const refused = await runReborn(['tool', 'install', wasm, '--capabilities', file, '--name', 'wrong'], {
    env: home.env,
  });

  expect(refused.code).toBe(1);
  for (const place of ['filesystem', 'host', 'path_prefix']) expect(refused.stderr).toContain(place);
});

test('a tool without capabilities can reach nothing, and the install says so', async ({ home, wasm }) => {
  const installed = await runReborn(['tool', 'install', wasm, '--name', 'bare'], { env: home.env });

  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('can reach nothing') });
  const { stdout } = await runReborn(['tool', 'list', '--json'], { env: home.env });
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'bare' }));
});

test('installs, stored secrets and their use are in the audit log by name only', async ({ service }) => {
  const { entries } = (await (await service.request('/api/audit?limit=100')).json()) as {
    entries: { action: string; actor: string; subject: string }[];
  };
  const recorded = entries.map(({ action, actor, subject }) => `${actor} ${action} ${subject}`);

  expect(recorded).toContain('command-line tool.install probe');
  expect(recorded).toContain('command-line secret.put probe_key');
  expect(recorded).toContain('operator secret.use probe');
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});

test('the key file in the home folder does not contain a secret', async ({ home }) => {
  expect((await readFile(path.join(home.home, 'secrets-key'), 'utf8')).includes(SECRET)).toBe(false);
});

const FINE = { status: 200, text: 'fine' };

type ProbeResult = { answers: object[]; secrets: boolean[] };

/** Runs a turn that calls the probe, and returns the probe's result. */
async function probe(service: Service, what: object, name = 'probe'): Promise<ProbeResult> {
  const response = await service.ask(`use ${name} ${JSON.stringify(what)}`);
  return JSON.parse(textOf(response).replace(/^result: /, '')) as ProbeResult;
}

async function request(service: Service, asked: object): Promise<object> {
  const { answers } = await probe(service, { requests: [asked] });
  return answers[0] ?? {};
}

async function openGates(home: Home): Promise<string[]> {
  const rows = await home.query<{ id: string }>(`select id from gates where answered_at is null and kind = 'auth'`);
  return rows.map(({ id }) => id);
}
