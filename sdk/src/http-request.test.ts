import { expect, test } from 'vitest';
import { httpRequest } from './http-request.ts';
import { createLocalHost } from './local-host.ts';

test('missing fields get their defaults', () => {
  const host = createLocalHost({ http: () => ({}) });

  const { status, body } = httpRequest(host.imports, { url: 'https://example.com/' });

  expect(host.requests).toEqual([
    { method: 'GET', url: 'https://example.com/', headers: {}, body: undefined, timeoutMs: undefined },
  ]);
  expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
});

test('all fields reach the host', () => {
  const host = createLocalHost({ http: () => ({ status: 201, body: 'grün' }) });

  const response = httpRequest(host.imports, {
    method: 'POST',
    url: 'https://example.com/a?b=1',
    query: { q: 'ä&b=c d', n: 1.5, yes: true, no: undefined },
    headers: { 'X-Name': 'wörld' },
    body: 'schön',
    timeoutMs: 500,
  });

  expect(host.requests).toEqual([
    {
      method: 'POST',
      url: 'https://example.com/a?b=1&q=%C3%A4%26b%3Dc%20d&n=1.5&yes=true',
      headers: { 'X-Name': 'wörld' },
      body: new TextEncoder().encode('schön'),
      timeoutMs: 500,
    },
  ]);
  expect(response.status).toBe(201);
  expect(response.text()).toBe('grün');
});

test('bytes are sent unchanged', () => {
  const host = createLocalHost({ http: ({ body }) => ({ body: body ?? '' }) });
  const bytes = Uint8Array.of(0, 255, 10);
  expect(httpRequest(host.imports, { url: 'https://x/', body: bytes }).body).toEqual(bytes);
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 32])('a timeout of %d is refused', (timeoutMs) => {
  const host = createLocalHost({ http: () => ({}) });
  expect(() => httpRequest(host.imports, { url: 'https://x/', timeoutMs })).toThrow(/whole number of milliseconds/);
  expect(host.requests).toEqual([]);
});

test('a missing reply is an error with the reason, whether the host throws an Error or a string', () => {
  const failing = (thrown: unknown) =>
    createLocalHost({
      http: () => {
        throw thrown;
      },
    });

  for (const thrown of [new Error('refused'), 'refused'])
    expect(() => httpRequest(failing(thrown).imports, { url: 'https://x/' })).toThrow('HTTP request failed: refused');
});

test('the error for a reply that is not JSON says so', () => {
  const host = createLocalHost({ http: () => ({ body: '<html>' }) });
  const response = httpRequest(host.imports, { url: 'https://x/' });
  expect(() => response.json()).toThrow(/^The reply is not JSON: /);
});

test('without a scripted http function every request fails', () => {
  expect(() => httpRequest(createLocalHost().imports, { url: 'https://x/' })).toThrow(/no reply is scripted/);
});
