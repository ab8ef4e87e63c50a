import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { networkTo, openEgress, startStandIn } from '#egress/stand-in.test-support.ts';
import { openSearch } from './open-search.ts';
import { ENGINES, type EngineName, type SearchAsk } from './search.ts';

const ask: SearchAsk = { query: 'tides & moon', count: 10, safe: 'moderate', language: 'de', country: 'DE' };
const choiceOf = (engine: EngineName) =>
  engine === 'searxng' ? { engine, baseUrl: 'https://search.example.com' } : { engine, apiKey: 'k-123' };

/** Answers as the engines write them. */
const RECORDED: Record<EngineName, object> = {
  searxng: {
    query: 'tides',
    results: [
      {
        url: 'https://a.example/tides',
        title: 'Tides',
        content: 'High <b>water</b>',
        engines: ['x'],
        score: 1,
        publishedDate: '2026-05-01T00:00:00',
        category: 'general',
      },
      { url: 'https://b.example/', title: null, content: 7 },
      { title: 'without an address' },
    ],
    answers: [],
    suggestions: [],
    unresponsive_engines: [['google', 'CAPTCHA']],
  },
  brave: {
    type: 'search',
    web: {
      type: 'search',
      results: [
        {
          url: 'https://a.example/tides',
          title: 'Tides',
          description: 'High <b>water</b>',
          page_age: '2026-05-01T00:00:00',
          extra_snippets: ['x'],
        },
        { url: 'https://b.example/', title: 'B', description: 5 },
      ],
    },
  },
  tavily: {
    query: 'tides',
    results: [
      {
        url: 'https://a.example/tides',
        title: 'Tides',
        content: 'High <b>water</b>',
        score: 0.9,
        raw_content: null,
        published_date: '2026-05-01T00:00:00',
      },
      { url: 'https://b.example/', title: 'B', content: '' },
    ],
    response_time: 1,
  },
  exa: {
    requestId: 'r',
    results: [
      {
        id: '1',
        url: 'https://a.example/tides',
        title: 'Tides',
        publishedDate: '2026-05-01T00:00:00',
        highlights: ['High <b>water</b>'],
      },
      { id: '2', url: 'https://b.example/', title: null, text: 'whole text' },
    ],
  },
};

const EMPTY: Record<EngineName, object> = {
  searxng: { results: [], unresponsive_engines: [] },
  brave: { type: 'search', query: {} },
  tavily: { results: [] },
  exa: { results: [] },
};

const reply = (socket: Socket, status: number, body: string, headers: readonly string[] = []) =>
  socket.end(
    [
      `HTTP/1.1 ${status} X`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );

/** Asks an engine that answers like this. */
async function search(engine: EngineName, answer: (socket: Socket, count: number) => void, wanted = ask) {
  let count = 0;
  const server = await startStandIn((socket) => answer(socket, ++count));
  const egress = openEgress(networkTo(server.port));
  const found = openSearch(egress, choiceOf(engine))(wanted, new AbortController().signal);
  return { found, requests: server.requests };
}

test.each(ENGINES)('%s is asked one query, and its answer is read', async (engine) => {
  const { found, requests } = await search(engine, (socket) => reply(socket, 200, JSON.stringify(RECORDED[engine])));

  const { hits, failed, usd } = await found;
  expect(hits).toHaveLength(2);
  expect(hits[0]).toEqual({
    url: 'https://a.example/tides',
    title: 'Tides',
    snippet: 'High <b>water</b>',
    published: '2026-05-01T00:00:00',
  });
  expect(failed).toEqual(engine === 'searxng' ? ['google (CAPTCHA)'] : []);
  expect(usd).toBeGreaterThanOrEqual(0);
  expect(requests[0]).toContain(engine === 'searxng' ? 'q=tides+%26+moon' : 'k-123');
});

test.each(ENGINES)('%s can find nothing without having failed', async (engine) => {
  const { found } = await search(engine, (socket) => reply(socket, 200, JSON.stringify(EMPTY[engine])));
  expect(await found).toMatchObject({ hits: [], failed: [] });
});

type Fault = readonly [what: string, answer: (socket: Socket, count: number) => void, reason: RegExp];

const FAULTS: readonly Fault[] = [
  ['a wrong key', (socket) => reply(socket, 401, '{"error":"no"}'), /refused the key/],
  ['used-up credit', (socket) => reply(socket, 402, '{}'), /credit/],
  ['a page that forbids', (socket) => reply(socket, 403, '<html>no</html>'), /refused the request/],
  ['too many requests', (socket) => reply(socket, 429, '{}'), /too often/],
  ['too many requests for an hour', (socket) => reply(socket, 429, '{}', ['retry-after: 3600']), /too often/],
  ['too many requests twice', (socket) => reply(socket, 429, '{}', ['retry-after: 0']), /too often/],
  ['an error', (socket) => reply(socket, 500, 'oops'), /status 500/],
  ['a page instead of JSON', (socket) => reply(socket, 200, '<html>sign in</html>'), /not a list of results/],
  ['another form', (socket) => reply(socket, 200, '{"ok":true}'), /not a list of results/],
  [
    'wrong types',
    (socket) => reply(socket, 200, '{"type":"search","results":[1,"a",{}],"web":{"results":[1,"a",{}]}}'),
    /not a list of results/,
  ],
  ['10 MB', (socket) => reply(socket, 200, `{"results":[],"x":"${'x'.repeat(10_000_000)}"}`), /larger than/],
  [
    'half an answer',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"results":['),
    /did not answer/,
  ],
];

test.each(ENGINES.flatMap((engine) => FAULTS.map(([what, answer, reason]) => [engine, what, answer, reason] as const)))(
  '%s that answers with %s has failed, and says why',
  async (engine, _what, answer, reason) => {
    const { found } = await search(engine, answer);
    await expect(found).rejects.toMatchObject({ name: 'SearchFailed', message: expect.stringMatching(reason) });
  },
);

test.each(ENGINES)('%s that is slow has failed', async (engine) => {
  const server = await startStandIn(() => {});
  const egress = openEgress(networkTo(server.port));
  const quick = { send: (request: Parameters<typeof egress.send>[0]) => egress.send({ ...request, timeoutMs: 50 }) };
  const found = openSearch(quick, choiceOf(engine))(ask, new AbortController().signal);
  await expect(found).rejects.toMatchObject({ name: 'SearchFailed', message: expect.stringMatching(/did not answer/) });
});

test.each(ENGINES)('%s is asked once more when it says that it will answer soon', async (engine) => {
  const { found, requests } = await search(engine, (socket, count) =>
    count === 1 ? reply(socket, 429, '{}', ['retry-after: 0']) : reply(socket, 200, JSON.stringify(RECORDED[engine])),
  );
  expect((await found).hits).toHaveLength(2);
  expect(requests).toHaveLength(2);
});

test('SearXNG whose engines all failed has failed, although it answers with an empty list', async () => {
  const body = JSON.stringify({
    results: [],
    unresponsive_engines: [
      ['google', 'CAPTCHA'],
      ['bing', 'timeout'],
    ],
  });
  const { found } = await search('searxng', (socket) => reply(socket, 200, body));
  await expect(found).rejects.toThrow('SearXNG got no answer from its engines: google (CAPTCHA), bing (timeout).');
});

test('SearXNG without engines that know the time of pages does not look as if there were none', async () => {
  const wanted = { ...ask, freshness: 'week' } as const;
  const { found, requests } = await search(
    'searxng',
    (socket) => reply(socket, 200, JSON.stringify(EMPTY.searxng)),
    wanted,
  );
  expect(await found).toMatchObject({ hits: [], failed: [expect.stringContaining('Search again without freshness.')] });
  expect(requests[0]).toContain('time_range=week');
});

test('SearXNG can be in a private network, and the other engines have one address each', async () => {
  const server = await startStandIn((socket) => reply(socket, 200, JSON.stringify(RECORDED.searxng)));
  const egress = openEgress(networkTo(server.port, { resolve: async () => ['10.0.0.5'] }));
  const private_ = openSearch(egress, { engine: 'searxng', baseUrl: 'http://searxng.lan:8080/base/' });
  expect((await private_(ask, new AbortController().signal)).hits).toHaveLength(2);
  expect(server.requests[0]).toMatch(/^GET \/base\/search\?/);
  await expect(openSearch(egress, choiceOf('brave'))(ask, new AbortController().signal)).rejects.toThrow(
    'did not answer',
  );
});

test('an engine without its key or address is not replaced by another one', () => {
  const never = { send: () => Promise.reject(new Error('No request.')) };
  for (const engine of ENGINES) expect(() => openSearch(never, { engine })).toThrow(/needs/);
});
