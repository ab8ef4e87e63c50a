import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Answer, followScript, type SeenPrompt } from '../../support/scripted-model.ts';
import type { Service } from '../../support/service.ts';

/** The addresses that were opened outside. A search for `town N` finds the pages from 8 N on, and each page links to another. */
const opened: string[] = [];

const internet = createServer(({ url = '', headers }, response) => {
  const address = new URL(url, `https://${headers.host}`);
  if (headers.host === 'api.search.brave.com') {
    const from = Number(/\d+/.exec(address.searchParams.get('q') ?? '')?.[0]) * 8;
    const results = Array.from({ length: 8 }, (_, index) => ({
      url: `https://town.example/${from + index}`,
      title: 'Town',
      description: 'About the town.',
    }));
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ type: 'search', web: { results } }));
  }
  if (address.pathname === '/robots.txt') return void response.writeHead(404).end();
  opened.push(address.href);
  const prose = 'The town has a harbour, a market and a small museum, and the ferry runs twice a day. '.repeat(3);
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${prose}<a href="/linked">next</a></p>`);
});

/** `research N`: asks for a budget of N pages, searches, and opens the results; `then a link`: and then a link of theirs; `after notes`: after it has read them. */
function decide(prompt: SeenPrompt): Answer {
  const asked = prompt.messages.findLastIndex(({ role }) => role === 'user');
  const [, budget, first] =
    /^research (\d+)( after notes| without asking| then a link)?$/m.exec(prompt.messages[asked]?.text ?? '') ?? [];
  if (budget === undefined) return followScript(prompt);
  const results = prompt.messages.slice(asked + 1).filter(({ role }) => role === 'tool').length;
  const plan = { questions: ['What is in the town?'], pages: Number(budget), searches: 9 };
  const steps = [
    ...(first === ' without asking' ? [] : [{ name: 'reborn_research', arguments: JSON.stringify(plan) }]),
    ...(first === ' after notes' ? [{ name: 'memory_search', arguments: '{"query":"town"}' }] : []),
    { name: 'reborn_web_search', arguments: '{"queries":["town 0"]}' },
    { name: 'reborn_web_search', arguments: '{"queries":["town 1"]}' },
  ];
  const step = steps[results];
  if (step) return { calls: [step] };
  const read = results - steps.length;
  const url = `https://town.example/${first === ' then a link' && read > 0 ? 'linked' : read}`;
  return results - steps.length > Number(budget)
    ? { pieces: ['read all'] }
    : { calls: [{ name: 'reborn_web_fetch', arguments: JSON.stringify({ url }) }] };
}

const test = journey()
  .override('modelOptions', { decide })
  .override('parts', {
    network: {
      resolve: async () => ['93.184.215.14'],
      dial: () => ({ host: '127.0.0.1', port: (internet.address() as AddressInfo).port, tls: false }),
    },
  });

test.beforeAll(async () => {
  internet.listen(0, '127.0.0.1');
  await once(internet, 'listening');
});
afterAll(() => void internet.close());

type Asked = { id: string; call: { name: string; arguments: string }; address: { kind: string } | null };

async function gatesOf(service: Service, { headers }: TestUser): Promise<Asked[]> {
  return ((await (await service.request('/api/gates', { headers })).json()) as { gates: Asked[] }).gates;
}

async function start(service: Service, name: string, input: string) {
  const setting = JSON.stringify({ engine: 'brave', api_key: 'key' });
  await service.request('/api/settings/search', { method: 'PUT', body: setting });
  const user = await addUser(service, name);
  opened.length = 0;
  const body = JSON.stringify({ model: 'm', input });
  await service.request('/api/v1/responses', { method: 'POST', body, headers: user.headers });
  return user;
}

const approve = async (service: Service, { headers }: TestUser, gate: Asked | undefined) =>
  service.request(`/api/gates/${gate?.id}`, {
    method: 'POST',
    body: JSON.stringify({ answer: 'approve' }),
    headers,
  });

test('research asks once, opens results within its budget, and asks again after it', async ({ service }) => {
  const ann = await start(service, 'Ann', 'research 12');
  const [card] = await gatesOf(service, ann);
  expect(card).toMatchObject({
    call: { name: 'reborn_research' },
    address: { kind: 'research', searches: 9, pages: 12 },
  });
  expect(opened).toEqual([]);
  expect((await approve(service, ann, card)).status).toBe(202);
  await expect
    .poll(async () => (await gatesOf(service, ann))[0]?.call.name, { timeout: 60_000 })
    .toBe('reborn_web_fetch');
  expect(opened).toEqual(Array.from({ length: 12 }, (_, index) => `https://town.example/${index}`));
});

test('without it the eleventh result asks, links ask as usual, and so does a result after private data was read', async ({
  service,
}) => {
  const bob = await start(service, 'Bob', 'research 12 without asking');
  expect(await gatesOf(service, bob)).toMatchObject([
    { call: { name: 'reborn_web_fetch' }, address: { kind: 'repeated' } },
  ]);
  expect(opened).toHaveLength(10);

  const eve = await start(service, 'Eve', 'research 12 then a link');
  await approve(service, eve, (await gatesOf(service, eve))[0]);
  await expect.poll(async () => (await gatesOf(service, eve))[0]?.address?.kind, { timeout: 60_000 }).toBe('link');
  expect(opened).toHaveLength(1);

  const cyd = await start(service, 'Cyd', 'research 12 after notes');
  const note = { method: 'PUT', body: JSON.stringify({ text: 'I like the town.' }), headers: cyd.headers };
  expect((await service.request('/api/memory/town', note)).status).toBe(200);
  await approve(service, cyd, (await gatesOf(service, cyd))[0]);
  await expect
    .poll(async () => (await gatesOf(service, cyd))[0]?.call.name, { timeout: 60_000 })
    .toBe('reborn_web_fetch');
  expect(opened).toEqual([]);
});

test('the skill for research is offered as long as there is a search engine', async ({ service }) => {
  const dan = await start(service, 'Dan', 'say hello');
  const skills = async () => {
    const listed = await service.request('/api/skills', { headers: dan.headers });
    return ((await listed.json()) as { skills: { name: string }[] }).skills.map(({ name }) => name);
  };
  expect(await skills()).toContain('research');
  await service.request('/api/settings/search', { method: 'DELETE' });
  expect(await skills()).not.toContain('research');
});
