import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect } from 'vitest';
import { makePdf } from '../../support/document-files.ts';
import { journey } from '../../support/journey.ts';
import { readStream } from '../../support/read-stream.ts';
import { isSummaryPrompt } from '../../support/scripted-model.ts';
import { type Service, TOKEN, type WireResponse } from '../../support/service.ts';

const PROSE = 'The harbour of Lund was dredged in spring, and the ferry runs again twice a day.';
const REPORT = makePdf([['Traffic of the harbour'], ['The ferry carried 41,000 people in 2025.']]);
const KEY = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
const pages = createServer(({ url }, response) => {
  if (url === '/report.pdf') return void response.writeHead(200, { 'content-type': 'application/pdf' }).end(REPORT);
  if (url === '/keys')
    return void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>${KEY}</title><p>${PROSE} ${PROSE} <a href="/f">The key</a> is ${KEY}. ${PROSE}`);
  response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
  response.end(`<title>Harbour (news)</title><nav>Menu</nav><p>${PROSE}<p>Fares <a href="/f">are low</a>. ${PROSE}`);
});

const test = journey().override('parts', {
  network: {
    resolve: async () => ['93.184.215.14'],
    dial: () => ({ host: '127.0.0.1', port: (pages.address() as AddressInfo).port, tls: false }),
  },
});

test.beforeAll(async () => {
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
});

afterAll(() => void pages.close());

const READ = 'use reborn_web_fetch {"url":"https://www.news.example/a_(b)?utm_source=x"}';
const LINK = '([news.example](https://www.news.example/a_%28b%29))';

type Part = { text: string; annotations: { url: string; title: string; start_index: number; end_index: number }[] };
const partOf = ({ output }: WireResponse) => (output as unknown as { content: Part[] }[]).at(-1)?.content[0] as Part;

const threadOf = (response: WireResponse) =>
  response.id.slice('resp_'.length + 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

async function marksOf(service: Service, response: WireResponse) {
  const page = await service.request(`/api/threads/${threadOf(response)}/items`);
  const { items } = (await page.json()) as { items: { citations?: { marks: object[]; sources: object[] } }[] };
  return items.at(-1)?.citations;
}

test('an answer cites a page that was read, and clients find the link in the text', async ({ service }) => {
  const read = await service.ask(READ);
  expect(partOf(read).text).toContain(`Source: ${LINK}`);
  const said = await service.ask('say 🚢 They wrote “the ferry runs again twice a day” [s1].', {
    previous_response_id: read.id,
  });
  const { text, annotations } = partOf(said);
  expect(text).toBe(`🚢 They wrote “the ferry runs again twice a day” ${LINK}.`);
  expect(annotations).toMatchObject([
    { type: 'url_citation', url: 'https://www.news.example/a_(b)', title: 'Harbour (news)' },
  ]);
  const [{ start_index, end_index } = { start_index: 0, end_index: 0 }] = annotations;
  expect(text.slice(start_index, end_index)).toBe(LINK);
  expect(await marksOf(service, said)).toMatchObject({
    marks: [{ number: 1, check: 'quoted', quotation: 'the ferry runs again twice a day' }],
    sources: [{ number: 1, url: 'https://www.news.example/a_(b)', how: 'read' }],
  });
});

test('an invented source and an invented quotation are marked', async ({ service }) => {
  const read = await service.ask(READ);
  const said = await service.ask('say It says “the ferry was sold to another town” [s1], and [s7].', {
    previous_response_id: read.id,
  });
  expect(await marksOf(service, said)).toMatchObject({
    marks: [
      { number: 1, check: 'missing', quotation: 'the ferry was sold to another town' },
      { number: 7, check: 'unknown' },
    ],
  });
  expect(partOf(said).text).toBe(`It says “the ferry was sold to another town” ${LINK}, and [s7].`);
  expect(partOf(said).annotations).toHaveLength(1);
});

test('readers without chips have the list of sources, and what is wrong: in an export, a share, and by MCP', async ({
  service,
}) => {
  const read = await service.ask(READ);
  const thread = threadOf(read);
  const message = 'say It says “the ferry was sold to another town” [s1], and [s7].';
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
  const asked = await client.callTool({ name: 'ask', arguments: { message, thread_id: thread } });
  await client.close();
  const { answer } = JSON.parse((asked.content as { text: string }[])[0]?.text ?? '') as { answer: string };
  expect(answer).toBe(
    [
      'It says “the ferry was sold to another town” [1], and [s7].',
      'Sources:\n1. [Harbour news](https://www.news.example/a_%28b%29) – news.example',
      'Not on the page: “the ferry was sold to another town”.',
      'There is no source s7.',
    ].join('\n\n'),
  );

  expect(await (await service.request(`/api/threads/${thread}/export`)).text()).toContain(answer);
  const shared = await service.request(`/api/threads/${thread}/share`, { method: 'PUT', body: '{}' });
  const { url } = (await shared.json()) as { url: string };
  const visited = await fetch(`${service.url}/api/shared/${new URL(url).pathname.split('/').at(-1)}`);
  const { items } = (await visited.json()) as { items: { content?: { text?: string }[] }[] };
  expect(items.at(-1)?.content?.[0]?.text).toBe(answer);
});

test('a PDF of the web is read by page, and its citations are compared with the page', async ({ service }) => {
  const read = await service.ask('use reborn_web_fetch {"url":"https://www.news.example/report.pdf"}');
  expect(partOf(read).text).toContain(
    'Title: report.pdf\n\n## p. 1\nTraffic of the harbour\n\n## p. 2\nThe ferry carried',
  );
  const said = await service.ask(
    'say “The ferry carried 41,000 people” [s1, p. 2], “the ferry carried 41,000 people” [s1, p. 1], and [s1, p. 3].',
    { previous_response_id: read.id },
  );
  expect(await marksOf(service, said)).toMatchObject({
    marks: [
      { number: 1, page: 2, check: 'quoted' },
      { number: 1, page: 1, check: 'missing' },
      { number: 1, page: 3, check: 'unknown' },
    ],
    sources: [{ number: 1, title: 'report.pdf' }],
  });
});

test('the stored text of a page has no secrets, although the model saw only a piece of it', async ({
  service,
  home,
}) => {
  await service.ask('use reborn_web_fetch {"url":"https://www.news.example/keys","max_bytes":100}');
  const stored = await home.query<{ title: string; text: string }>(
    "select title, text from sources where url like '%/keys'",
  );
  expect(stored).toEqual([
    { title: expect.any(String), text: expect.stringMatching(/The key[^]* is [^]*redacted[^]*Links/i) },
  ]);
  expect(JSON.stringify(stored)).not.toContain(KEY);
});

test('a stream says the same text as the answer, and announces its citations', async ({ service }) => {
  const read = await service.ask(READ);
  const body = JSON.stringify({
    model: 'm',
    input: 'say One [s1], two[s1] and [three].',
    previous_response_id: read.id,
    stream: true,
  });
  const response = await service.request('/api/v1/responses', { method: 'POST', body });
  let streamed = '';
  const annotations: unknown[] = [];
  let done: Part | undefined;
  for await (const event of readStream(response)) {
    const given = event as unknown as { type: string; delta: string; annotation: unknown; part: Part };
    if (event.type === 'response.output_text.delta') streamed += given.delta;
    if (event.type === 'response.output_text.annotation.added') annotations.push(given.annotation);
    if (event.type === 'response.content_part.done') done = given.part;
  }
  expect(streamed).toBe(`One ${LINK}, two ${LINK} and [three].`);
  expect(done).toMatchObject({ text: streamed, annotations });
  expect(annotations).toHaveLength(2);
});

test('a page keeps its number in the thread, and more of it is read without another request', async ({ service }) => {
  const first = await service.ask(READ);
  const again = await service.ask('use reborn_web_fetch {"source":1,"find":"fares"}', {
    previous_response_id: first.id,
  });
  expect(partOf(again).text).toMatch(/Source: \(\[news[^]*Fares are low \[1\]/);
  const other = await service.ask('use reborn_web_fetch {"url":"https://www.news.example/other"}', {
    previous_response_id: again.id,
  });
  expect(partOf(other).text).toContain('Source: ([news.example](https://www.news.example/other))');
});

test('chat completions have the links, too', async ({ service }) => {
  const completion = await service.request('/api/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: READ }] }),
  });
  const { choices } = (await completion.json()) as {
    choices: {
      message: { content: string; annotations: { url_citation: { start_index: number; end_index: number } }[] };
    }[];
  };
  const { content = '', annotations = [] } = choices[0]?.message ?? {};
  const [{ url_citation } = { url_citation: { start_index: 0, end_index: 0 } }] = annotations;
  expect(content.slice(url_citation.start_index, url_citation.end_index)).toBe(LINK);
});

test('a page keeps its number through a summary, and the next page gets the next number', async ({
  startAnother,
  model,
}) => {
  const small = await startAnother({ LLM_CONTEXT_TOKENS: '6000' });
  const filler = 'and so the day went on, with nothing much to say about it. '.repeat(20);
  let last = await small.ask(READ);
  const before = model.seen.filter(isSummaryPrompt).length;
  while (model.seen.filter(isSummaryPrompt).length < before + 2)
    last = await small.ask(`say yes ${filler}`, { previous_response_id: last.id });
  const said = await small.ask('say They wrote “the ferry runs again twice a day” [s1].', {
    previous_response_id: last.id,
  });
  expect(await marksOf(small, said)).toMatchObject({
    marks: [{ number: 1, check: 'quoted' }],
    sources: [{ number: 1, url: 'https://www.news.example/a_(b)', how: 'read' }],
  });
  const again = await small.ask(READ, { previous_response_id: said.id });
  expect(await shownNumber(small, again)).toBe('[s1]');
  const other = await small.ask('use reborn_web_fetch {"url":"https://www.news.example/other"}', {
    previous_response_id: again.id,
  });
  expect(await shownNumber(small, other)).toBe('[s2]');
  await small.close();
});

/** The number in the newest output, as the model has seen it. */
async function shownNumber(service: Service, response: WireResponse) {
  const page = await service.request(`/api/threads/${threadOf(response)}/items`);
  const { items } = (await page.json()) as { items: { type: string; output?: { text: string }[] }[] };
  const output = items.findLast(({ type }) => type === 'function_call_output')?.output?.[0]?.text ?? '';
  return /Source: (\[s\d+\])/.exec(output)?.[1];
}
