import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { Extract } from '#documents/extractor.ts';
import type { NewSource, Source } from '#domain/search/source.ts';
import { readNothing } from '#domain/tool/read-so-far.test-support.ts';
import { createEgress } from '#egress/egress.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { OpenSources } from '../source-port.ts';
import type { JudgeCall } from '../tool.ts';
import { webFetchTool } from './web-fetch.ts';

type Page = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer };

const neverRead: Extract = () => Promise.reject(new Error('No PDF was expected.'));

/** The addresses of outside hosts; other hosts are not found. */
async function fetching(pages: Readonly<Record<string, Page>>, sources?: OpenSources, extract: Extract = neverRead) {
  const asked: string[] = [];
  const askedRobots: string[] = [];
  const server = createServer(({ url = '', headers }, response: ServerResponse) => {
    const address = `https://${headers.host}${url}`;
    if (url === '/robots.txt') askedRobots.push(address);
    else asked.push(address);
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
  const tool = webFetchTool(egress, extract);
  const context = {
    owner: { userId: 'ann' },
    secretsOf: { userId: 'ann' },
    idempotencyKey: 'k',
    signal: new AbortController().signal,
    ownLinks: () => new Set(['https://a.example/typed']),
    ...(sources && { sources }),
  };
  const get = (url: string, more: object = {}) => tool.call(JSON.stringify({ url, ...more }), context);
  const reread = (given: object) => tool.call(JSON.stringify(given), context);
  return { asked, askedRobots, get, reread, tool, context };
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

test.each(['image/png', 'application/octet-stream'])('%s is not read', async (type) => {
  const { get } = await fetching({ 'https://a.example/': { headers: { 'content-type': type }, body: 'x' } });
  expect(await get('https://a.example/')).toMatch(/"error":"It is .*only text, HTML, PDF, JSON, XML and YAML/);
});

/** Stands for the reader of documents: a PDF that says `1|2` has the pages "1" and "2". */
const extractPages: Extract = async (kind, bytes) => {
  const words = Buffer.from(bytes).toString().slice('%PDF-'.length);
  if (words === 'broken') return { reason: 'It is not a complete PDF.' };
  const pages = words.split('|').map((text, index) => {
    return { label: `page ${index + 1}`, blocks: text === '' ? [] : [{ heading: '', text }] };
  });
  return kind === 'pdf' ? { pages } : { reason: `It is a ${kind}.` };
};
const pdf = (words: string, headers: Record<string, string> = {}): Page => ({
  headers: { 'content-type': 'application/pdf', ...headers },
  body: `%PDF-${words}`,
});

test('a PDF is read by page, and on from a page', async () => {
  const { get } = await fetching(
    { 'https://a.example/x/the%20lease.pdf': pdf('Rent|\u2060|Notice') },
    undefined,
    extractPages,
  );
  expect(await get('https://a.example/x/the%20lease.pdf')).toBe(
    'Address: https://a.example/x/the%20lease.pdf\nTitle: the lease.pdf\n\n## p. 1\nRent\n\n## p. 2\n(no text)\n\n## p. 3\nNotice',
  );
  expect(await get('https://a.example/x/the%20lease.pdf', { page: 3 })).toMatch(/lease.pdf\n\n## p. 3\nNotice$/);
  expect(await get('https://a.example/x/the%20lease.pdf', { page: 4 })).toContain('The text has no page 4.');
});

test('words that are found in a PDF come with their pages', async () => {
  const long = 'One.\nTwo.\nThe ferry, three.\nFour.\nFive.';
  const { get } = await fetching({ 'https://a.example/': pdf(`Zero.|${long}`) }, undefined, extractPages);
  expect(await get('https://a.example/', { find: 'ferry' })).toMatch(
    /\n\n…\n## p. 2\n…\nTwo.\nThe ferry, three.\nFour.$/,
  );
});

test('a PDF is known by its first bytes if the server does not say it, and is unpacked', async () => {
  const packed = gzipSync('%PDF-Packed');
  const { get } = await fetching(
    {
      'https://a.example/': pdf('Rent', { 'content-type': 'application/octet-stream' }),
      'https://a.example/packed': {
        headers: { 'content-type': 'application/pdf', 'content-encoding': 'gzip' },
        body: packed,
      },
    },
    undefined,
    extractPages,
  );
  expect(await get('https://a.example/')).toContain('## p. 1\nRent');
  expect(await get('https://a.example/packed')).toContain('## p. 1\nPacked');
});

test.each([
  ['that is broken', 'broken', "The PDF can't be read. It is not a complete PDF."],
  ['with too many pages', '|'.repeat(300), 'The PDF has 301 pages, and at most 300 are read.'],
  ['without text', '||', 'The PDF has no text'],
])('a PDF %s is an error that says so', async (_which, words, error) => {
  const { get } = await fetching({ 'https://a.example/': pdf(words) }, undefined, extractPages);
  expect(JSON.parse(await get('https://a.example/'))).toEqual({ error: expect.stringContaining(error) });
});

test('a PDF may be larger than another page', async () => {
  const words = 'x'.repeat(5 * 1024 * 1024);
  const { get } = await fetching(
    {
      'https://a.example/': pdf(words),
      'https://a.example/text': pdf(words, { 'content-type': 'text/plain' }),
      'https://a.example/huge': pdf(words.repeat(4)),
    },
    undefined,
    extractPages,
  );
  expect(await get('https://a.example/')).toContain('## p. 1\nxxx');
  expect(await get('https://a.example/text')).toContain('is larger than 4194304 bytes');
  expect(await get('https://a.example/huge')).toContain('is larger than 16777216 bytes');
});

test('a long text is cut at a whole letter, and read on from there', async () => {
  const body = `${'é'.repeat(100)}end`;
  const { get } = await fetching({ 'https://a.example/': { headers: { 'content-type': 'text/plain' }, body } });
  const text = await get('https://a.example/', { max_bytes: 101 });
  expect(text).toBe(
    `Address: https://a.example/\n\n${'é'.repeat(50)}\n… 103 more bytes; ask with from: 100, or with find`,
  );
  expect(await get('https://a.example/', { from: 199 })).toBe('Address: https://a.example/\n\néend');
  expect(await get('https://a.example/', { from: 203 })).toContain('The text ends at byte 203.');
});

const PROSE = 'The harbour of Lund was dredged in spring, and the ferry runs again twice a day.';

test('a page is read without what stands around its text, unless all of it is wanted', async () => {
  const body = `<nav><a href="/n">Menu</a></nav><main><h1>Harbour</h1><p>${PROSE.repeat(4)}</p></main><footer>Imprint</footer>`;
  const { get } = await fetching({ 'https://a.example/': { body } });
  expect(await get('https://a.example/')).toBe(`Address: https://a.example/\n\n# Harbour\n\n${PROSE.repeat(4)}`);
  expect(await get('https://a.example/', { part: 'all' })).toMatch(
    /Menu \[1\][^]*Imprint[^]*\[1\] https:\/\/a.example\/n$/,
  );
});

test('links are numbers in the text, and a list at its end', async () => {
  const link = (n: number) => `see <a href="/${n % 60}">page ${n}</a> `;
  const body = `<p>${PROSE}<p>${Array.from({ length: 61 }, (_, n) => link(n) + PROSE).join('<p>')}`;
  const { get } = await fetching({ 'https://a.example/': { body } });
  const text = await get('https://a.example/', { max_bytes: 20_000 });
  expect(text).toContain('see page 0 [1] The harbour');
  expect(text).toContain('see page 60 [1] The harbour');
  expect(text).toMatch(/\[40\] https:\/\/a.example\/39\n… 20 more links; ask with part: "all"$/);
  expect(await get('https://a.example/', { part: 'all', max_bytes: 20_000 })).toMatch(
    /\[60\] https:\/\/a.example\/59$/,
  );
});

test('words are found with the paragraphs before and after them', async () => {
  const body = `<p>One.<p>Two.<p>The FERRY, three.<p>Four.<p>Five.<p>${PROSE}`;
  const { get } = await fetching({ 'https://a.example/': { body } });
  expect(await get('https://a.example/', { find: 'three ferry' })).toBe(
    'Address: https://a.example/\n\n…\nTwo.\nThe FERRY, three.\nFour.',
  );
  expect(await get('https://a.example/', { find: 'train' })).toContain('No paragraph of the text');
});

test.each([401, 402, 403, 429, 451])('status %i is a refusal, and its page is not read', async (status) => {
  const { get } = await fetching({ 'https://a.example/': { status, body: `<p>${PROSE}` } });
  const text = await get('https://a.example/');
  expect(text).toContain(`"error":"The site refused (status ${status})`);
  expect(text).not.toContain('harbour');
});

test('a page that scripts write says so', async () => {
  const { get } = await fetching({ 'https://a.example/': { body: '<div id=app>Loading</div><script>x</script>' } });
  expect(await get('https://a.example/')).toContain('Note: a script writes the text of this page');
});

test('a packed page is unpacked up to the limit', async () => {
  const page = (body: Buffer, encoding = 'gzip'): Page => ({ headers: { 'content-encoding': encoding }, body });
  const { get } = await fetching({
    'https://a.example/': page(gzipSync('<p>Text')),
    'https://a.example/bomb': page(gzipSync(Buffer.alloc(8 * 1024 * 1024))),
    'https://a.example/cut': page(gzipSync(PROSE).subarray(0, 30)),
    'https://a.example/odd': page(Buffer.from('x'), 'zstd'),
  });
  expect(await get('https://a.example/')).toBe('Address: https://a.example/\n\nText');
  for (const name of ['bomb', 'cut', 'odd'])
    expect(await get(`https://a.example/${name}`)).toContain('"error":"It is packed');
});

test('a page that was read is a source, and is read on without a request', async () => {
  const stored: NewSource[] = [];
  const sources: OpenSources = {
    add: async (added) => added.map((source) => stored.push(source)),
    find: async (number) => stored[number - 1] && ({ ...stored[number - 1], number } as Source),
  };
  const body = `<title>T</title><meta property="article:published_time" content="2026-01-02T03:04:05Z"><p>See <a href="/x">x</a>. ${PROSE}<p>${PROSE}`;
  const { get, reread, asked } = await fetching(
    { 'https://a.example/p?utm_source=x': { body }, 'https://a.example/gone': { status: 410 } },
    sources,
  );
  const first = await get('https://a.example/p?utm_source=x', { max_bytes: 100 });
  expect(first).toContain('Source: [s1]\nTitle: T\nPublished: 2026-01-02');
  expect(first).toMatch(/more bytes; ask with source: 1, from: \d+, or with find\n\n\[1\] https:\/\/a.example\/x$/);
  expect(stored).toMatchObject([{ url: 'https://a.example/p', title: 'T', published: '2026-01-02', how: 'read' }]);
  expect(await reread({ source: 1, find: 'dredged see' })).toContain('See x [1]. The harbour');
  expect(await reread({ source: 2 })).toContain('was not read in this thread');
  expect(await reread({})).toContain('Give a url, or a source');
  expect(asked).toHaveLength(1);
  expect(await get('https://a.example/gone')).not.toContain('Source:');
});

test('another part of a page is read without another request, unless it must be fresh', async () => {
  const body = `<nav><a href="/n">Menu</a></nav><main><p>${PROSE.repeat(4)}</p></main>`;
  const pages: Record<string, Page> = { 'https://a.example/': { body }, 'https://a.example/gone': { status: 404 } };
  const { get, asked } = await fetching(pages);
  expect(await get('https://a.example/')).toContain('dredged');
  expect(await get('https://a.example/', { part: 'all' })).toContain('Menu');
  expect(await get('https://a.example/#top', { find: 'ferry' })).toContain('dredged');
  expect(asked).toHaveLength(1);
  pages['https://a.example/'] = { body: '<p>Now.' };
  expect(await get('https://a.example/', { fresh: true })).toContain('Now.');
  expect(await get('https://a.example/')).toContain('Now.');
  expect(asked).toHaveLength(2);
  await get('https://a.example/gone');
  await get('https://a.example/gone');
  expect(asked).toHaveLength(4);
  expect(await get('http://a.example/')).toContain('"error"');
});

test('four pages are requested together, two of one host, and each call gets its own or its failure', async () => {
  const names = ['a.example/1', 'a.example/2', 'a.example/3', 'b.example/1', 'c.example/1', 'd.example/1'];
  const addresses = names.map((name) => `https://${name}`);
  const { tool, context, get, asked } = await fetching(
    Object.fromEntries(addresses.slice(0, 5).map((address) => [address, { body: `<p>${address}` }])),
  );
  for (const url of addresses) await tool.prepare?.(JSON.stringify({ url }), context);
  await waitFor('four requests', async () => asked.length === 4);
  expect(asked.toSorted()).toEqual(
    ['a.example/1', 'a.example/2', 'b.example/1', 'c.example/1'].map((name) => `https://${name}`),
  );
  for (const address of addresses.slice(0, 5)) expect(await get(address)).toContain(`\n\n${address}`);
  expect(await get('https://d.example/1')).toContain('Status: 404');
  expect(asked).toHaveLength(6);
  await tool.prepare?.(JSON.stringify({ url: 'https://inside.example/' }), context);
  expect(await get('https://inside.example/')).toContain('"error"');
});

test('robots.txt applies to pages that the agent chose, and is read once', async () => {
  const robots = 'User-agent: *\nDisallow: /';
  const { get, asked, askedRobots } = await fetching({
    'https://a.example/robots.txt': { headers: { 'content-type': 'text/plain' }, body: robots },
    'https://a.example/typed': { body: 'Typed' },
  });
  expect(await get('https://a.example/chosen')).toContain('robots.txt');
  expect(await get('https://a.example/other')).toContain('robots.txt');
  expect(await get('https://a.example/typed')).toContain('Typed');
  expect([asked, askedRobots]).toEqual([['https://a.example/typed'], ['https://a.example/robots.txt']]);
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
