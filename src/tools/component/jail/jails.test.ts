import path from 'node:path';
import { componentize } from 'componentize-qjs';
import { afterAll, expect, test } from 'vitest';
import { prepareComponent } from '../install/prepare-component.ts';
import { DEFAULT_LIMITS, type HostImports, type HostRequest } from './jail-call.ts';
import { createJails } from './jails.ts';

/** QuickJS in a component: it needs WASI, of which it is given the inert kind. */
const SOURCE = `
  import { httpRequest, log, secretExists } from 'reborn:tool/host@1.0.0';
  let calls = 0;
  export const schema = () => '{"type":"object"}';
  export const description = () => 'Does as asked.';
  export function execute(request) {
    try {
      return { output: JSON.stringify(run(JSON.parse(request.params)) ?? null), error: undefined };
    } catch (error) {
      return { output: undefined, error: String(error?.payload ?? error?.message ?? error) };
    }
  }
  function run({ act, url, name }) {
    calls++;
    if (act === 'calls') return calls;
    if (act === 'secret') return secretExists(name);
    if (act === 'log') return log('error', name);
    if (act === 'time') return Date.now();
    const body = new Uint8Array([1, 2, 250]);
    const response = httpRequest('POST', url, '{"a":"b"}', act === 'post' ? body : undefined, act === 'post' ? 1500 : undefined);
    return { status: response.status, body: Array.from(response.body) };
  }`;

const { component } = await componentize({ witPath: path.resolve('wit'), jsSource: SOURCE, sync: true, optSize: true });
const { hash, files } = await prepareComponent(new Uint8Array(component));
const jails = createJails();
afterAll(() => jails.close());

const requests: HostRequest[] = [];
const host: HostImports = {
  httpRequest: async (request) => {
    requests.push(request);
    if (request.url.includes('blocked')) throw new Error('blocked.example is not on the allowlist.');
    return { status: 201, body: new Uint8Array([0, 255, 128]) };
  },
  secretExists: (name) => name === 'known',
};

const call = (params: object) =>
  jails.call(
    { name: 'quick', hash, load: async () => files },
    { params: JSON.stringify(params), host, limits: DEFAULT_LIMITS, signal: new AbortController().signal },
  );

test('a request reaches the host as the guest made it, and its bytes come back', async () => {
  expect((await call({ act: 'post', url: 'https://a.example/ü' })).result).toEqual({
    output: '{"status":201,"body":[0,255,128]}',
  });
  expect(requests.at(-1)).toEqual({
    method: 'POST',
    url: 'https://a.example/ü',
    headers: '{"a":"b"}',
    body: new Uint8Array([1, 2, 250]),
    timeoutMs: 1500,
  });
  await call({ act: 'bare', url: 'https://a.example/' });
  expect(requests.at(-1)).toEqual({ method: 'POST', url: 'https://a.example/', headers: '{"a":"b"}' });
});

test('a refusal of the host is an error that the guest can read', async () => {
  const { result } = await call({ act: 'get', url: 'https://blocked.example/' });
  expect(result).toEqual({ error: 'blocked.example is not on the allowlist.' });
});

test('a request with a URL above 64 KiB does not leave the jail', async () => {
  const before = requests.length;
  const { result } = await call({ act: 'get', url: `https://a.example/${'x'.repeat(70_000)}` });
  expect(result).toEqual({ error: 'The method, URL or headers are too long: the limit is 64 KiB each.' });
  expect(requests).toHaveLength(before);
});

test('the guest learns whether a secret exists', async () => {
  expect((await call({ act: 'secret', name: 'known' })).result).toEqual({ output: 'true' });
  expect((await call({ act: 'secret', name: 'other' })).result).toEqual({ output: 'false' });
});

test('its log comes with the answer', async () => {
  expect((await call({ act: 'log', name: 'oh – no' })).logs).toEqual([{ level: 'error', message: 'oh – no' }]);
});

test('every call has its own instance, without data of the last one', async () => {
  const answers = [await call({ act: 'calls' }), await call({ act: 'calls' }), await call({ act: 'calls' })];
  expect(answers.map(({ result }) => result)).toEqual([{ output: '1' }, { output: '1' }, { output: '1' }]);
});

test('its clock is right', async () => {
  const { result } = await call({ act: 'time' });
  const time = 'output' in result ? Number(result.output) : 0;
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
});

test('many calls at once keep apart', async () => {
  const urls = Array.from({ length: 30 }, (_, n) => `https://a.example/${n}`);
  const answers = await Promise.all(urls.map((url) => call({ act: 'log', name: url })));
  expect(answers.map(({ logs }) => logs[0]?.message)).toEqual(urls);
});
