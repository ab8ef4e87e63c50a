import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { createEgress } from '#egress/egress.ts';
import type { JudgeCall } from '../tool.ts';
import { webFetchTool } from './web-fetch.ts';

type Page = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer };

/** The addresses of outside hosts; other hosts are not found. */
async function fetching(pages: Readonly<Record<string, Page>>) {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response: ServerResponse) => {
    const address = `https://${headers.host}${url}`;
    asked.push(address);
    const { status = 200, headers: given = {}, body = '' } = pages[address] ?? { status: 404 };
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...given }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const egress = createEgress({
    resolve: async (host) => [host.startsWith('inside') ? '10.0.0.1' : '93.184.215.14'],
    dial: () => ({ host: '127.0.0.1', port, tls: false }),
  });
  onTestFinished(async () => {
    await egress.close();
    server.close();
  });
  const tool = webFetchTool(egress);
  const context = {
    owner: { userId: 'ann' },
    secretsOf: { userId: 'ann' },
    idempotencyKey: 'k',
    signal: new AbortController().signal,
  };
  return { asked, get: (url: string, more: object = {}) => tool.call(JSON.stringify({ url, ...more }), context), tool };
}

test('a page is fetched and read', async () => {
  const { get } = await fetching({ 'https://a.example/x?y=1': { body: '<title>T</title><h1>Hi</h1><p>Text' } });
  expect(await get('https://a.example/x?y=1')).toBe('Address: https://a.example/x?y=1\nTitle: T\n\n# Hi\n\nText');
});

test('JSON is returned as it is, and an error status is reported', async () => {
  const headers = { 'content-type': 'application/problem+json' };
  const { get } = await fetching({ 'https://a.example/': { status: 500, headers, body: '{"a":1}' } });
  expect(await get('https://a.example/')).toBe('Address: https://a.example/\nStatus: 500\n\n{"a":1}');
});

test.each([
  ['by its header', { 'content-type': 'text/plain; charset=iso-8859-1' }, Buffer.from('na\xefve', 'latin1'), 'naïve'],
  [
    'by its own words',
    { 'content-type': 'text/html' },
    Buffer.from('<meta charset="windows-1251"><p>\xcf', 'latin1'),
    'П',
  ],
  ['by its first bytes', { 'content-type': 'text/plain' }, Buffer.from('\ufeffhé', 'utf16le'), 'hé'],
  ['as UTF-8 if its charset is unknown', { 'content-type': 'text/plain; charset=klingon' }, Buffer.from('é'), 'é'],
])('the letters of a page are known %s', async (_how, headers, body, text) => {
  const { get } = await fetching({ 'https://a.example/': { headers, body } });
  expect(await get('https://a.example/')).toBe(`Address: https://a.example/\n\n${text}`);
});

test.each(['image/png', 'application/octet-stream', 'application/pdf'])('%s is not read', async (type) => {
  const { get } = await fetching({ 'https://a.example/': { headers: { 'content-type': type }, body: 'x' } });
  expect(await get('https://a.example/')).toMatch(/"error":"It is .*only text, HTML, JSON, XML and YAML/);
});

test('a long text is cut at a whole letter', async () => {
  const body = 'é'.repeat(1000);
  const { get } = await fetching({ 'https://a.example/': { headers: { 'content-type': 'text/plain' }, body } });
  const text = await get('https://a.example/', { max_bytes: 101 });
  expect(text).toBe(`Address: https://a.example/\n\n${'é'.repeat(50)}\n[Cut here: 1900 of 2000 bytes are left out.]`);
});

test('redirects within a site are followed, five of them', async () => {
  const hop = (location: string): Page => ({ status: 302, headers: { location } });
  const { get, asked } = await fetching({
    'https://a.example/0': hop('https://www.a.example/1'),
    'https://www.a.example/1': hop('/2'),
    'https://www.a.example/2': { headers: { 'content-type': 'text/plain' }, body: 'there' },
    'https://a.example/loop': hop('/loop'),
  });
  expect(await get('https://a.example/0')).toBe('Address: https://www.a.example/2\n\nthere');
  asked.length = 0;
  expect(await get('https://a.example/loop')).toContain('more than 5 times');
  expect(asked).toHaveLength(6);
});

test.each([
  ['another site', 'https://evil.example/?d=1'],
  ['plain http', 'http://a.example/'],
  ['a host inside', 'https://inside.example/'],
  ['an address', 'https://169.254.169.254/'],
  ['a file', 'file:///etc/passwd'],
])('a redirect to %s is not followed', async (_where, location) => {
  const { get, asked } = await fetching({ 'https://a.example/': { status: 301, headers: { location } } });
  expect(await get('https://a.example/')).toContain('"error"');
  expect(asked).toEqual(['https://a.example/']);
});

test.each([
  'http://a.example/',
  'https://inside.example/',
  'https://127.0.0.1/',
  'https://u:p@a.example/',
  'ftp://x',
  'x',
])('%s is refused, without a request', async (url) => {
  const { get, asked } = await fetching({});
  expect(await get(url)).toContain('"error"');
  expect(asked).toEqual([]);
});

test('arguments that make no sense are answered with what is wrong', async () => {
  const { tool } = await fetching({});
  const context = {
    owner: { userId: 'ann' },
    secretsOf: { userId: 'ann' },
    idempotencyKey: 'k',
    signal: new AbortController().signal,
  };
  expect(await tool.call('{"url":1}', context)).toContain('Invalid parameters');
  expect(await tool.call('{', context)).toContain('Invalid parameters');
});

test('the address decides whether a call runs', async () => {
  const { tool } = await fetching({});
  const judged = async (said: string) => {
    const judge = tool.flow?.runs as JudgeCall;
    return judge('{"url":"https://a.example/x"}', readNothing({ hasPrivate: true, ownTexts: [said] }), {
      userId: 'ann',
    });
  };
  expect(await judged('read a.example')).toBe('runs');
  expect(await judged('hello')).toMatchObject({ kind: 'composed', site: 'a.example' });
});
