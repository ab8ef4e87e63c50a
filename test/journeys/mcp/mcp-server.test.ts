import path from 'node:path';
import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { expect } from 'vitest';
import { announceService } from '#cli/connect/running-service.ts';
import type { Tool } from '#tools/tool.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { BARE_ENV } from '../../support/bare-env.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Reply = { id: string; thread_id: string; status: string; answer: string; error?: string };
type Result = { readonly content: unknown; readonly isError?: boolean | undefined };

const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  flow: { reads: {}, runs: 'clean' },
  call: async () => 'sent',
};

const test = journey()
  .override('parts', { tools: [send] })
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'))
  .extend('bob', { scope: 'file' }, ({ service }) => addUser(service, 'Bob'));

async function connect(service: Service, who: TestUser, mode: VersionNegotiationMode = 'auto') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: who.headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
  const call = async (name: string, given: Record<string, unknown>): Promise<Result> =>
    client.callTool({ name, arguments: given });
  return { client, call, [Symbol.asyncDispose]: () => client.close() };
}

const wordsOf = ({ content }: Pick<Result, 'content'>) => (content as { text: string }[])[0]?.text ?? '';
const replyOf = (result: Pick<Result, 'content'>) => JSON.parse(wordsOf(result)) as Reply;

test.for(['legacy', 'auto', { pin: '2026-07-28' }] as const)(
  "the protocol's own client asks, continues, starts and checks: %j",
  async (mode, { service, ann }) => {
    await using server = await connect(service, ann, mode);
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['ask', 'start', 'check', 'memory_search']);
    expect(server.client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');

    const first = replyOf(await server.call('ask', { message: 'say hello' }));
    expect(first).toMatchObject({ status: 'completed', answer: 'hello' });
    const next = replyOf(await server.call('ask', { message: 'recite', thread_id: first.thread_id }));
    expect(next.answer).toContain('say hello');
    const started = replyOf(await server.call('start', { message: 'say later' }));
    const done = await waitFor('the answer', async () => {
      const found = replyOf(await server.call('check', { id: started.id }));
      return found.status === 'completed' && found;
    });
    expect(done).toMatchObject({ id: started.id, answer: 'later' });
  },
);

test('each assistant for everyone is a tool that answers as this assistant', async ({ service, ann }) => {
  const body = {
    name: 'research',
    for: 'everyone',
    description: 'Finds things out.',
    instructions: 'Name your sources.',
  };
  const made = await service.request('/api/assistants', { method: 'POST', body: JSON.stringify(body) });
  const { id } = (await made.json()) as { id: string };
  await using server = await connect(service, ann);
  const { tools } = await server.client.listTools();
  const found = tools.find(({ name }) => name === 'assistant_research');
  expect(found?.description).toContain('Finds things out.');
  const { answer } = replyOf(await server.call('assistant_research', { message: 'recite' }));
  expect(answer).toContain('Name your sources.');
  expect(replyOf(await server.call('ask', { message: 'recite' })).answer).not.toContain('Name your sources.');
  await service.request(`/api/assistants/${id}`, { method: 'DELETE' });
});

test('a message of a client is written by an agent, and not by the person', async ({ service, home, ann }) => {
  await using server = await connect(service, ann);
  const { thread_id: thread } = replyOf(await server.call('ask', { message: 'say who wrote this' }));
  const stored = await home.query<{ author: string }>(
    `select body ->> 'author' as author from items where thread_id = $1 and body ->> 'role' = 'user'`,
    [thread],
  );
  expect(stored).toEqual([{ author: 'agent' }]);
});

test('walls: threads, messages and notes of others are not found, and mistakes are results', async ({
  service,
  ann,
  bob,
}) => {
  await service.request('/api/memory/pets', {
    method: 'PUT',
    headers: ann.headers,
    body: JSON.stringify({ text: 'The cat of Ann is called Mauzi.' }),
  });
  await using hers = await connect(service, ann);
  await using his = await connect(service, bob);
  const { id, thread_id } = replyOf(await hers.call('ask', { message: 'say secret' }));

  expect(wordsOf(await hers.call('memory_search', { query: 'cat' }))).toContain('Mauzi');
  expect(wordsOf(await his.call('memory_search', { query: 'cat' }))).toBe('{"notes":[]}');
  for (const [name, given] of [
    ['check', { id }],
    ['check', { id: 'resp_x' }],
    ['ask', { message: 'recite', thread_id }],
    ['start', { message: 'recite', thread_id }],
  ] as const) {
    const refused = await his.call(name, given);
    expect({ name, isError: refused.isError }).toEqual({ name, isError: true });
    expect(wordsOf(refused)).not.toContain('secret');
  }
  for (const given of [{}, { message: ' ' }, { message: 5 }, { message: 'x', thread_id: 'y' }]) {
    const refused = await his.call('ask', given).catch((error: unknown) => ({ isError: error instanceof Error }));
    expect(refused.isError).toBe(true);
  }
});

test('a turn that waits for an approval says so, and where to answer', async ({ service, ann }) => {
  await using server = await connect(service, ann);
  const reply = replyOf(await server.call('ask', { message: 'use send {}' }));

  expect(reply).toMatchObject({ status: 'waiting', error: expect.stringContaining(`/threads/${reply.thread_id}`) });
});

test('without a token, with a wrong one, and from a page of another site, nothing is answered', async ({
  service,
  ann,
}) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const accept = 'application/json, text/event-stream';
  const post = (headers: Record<string, string>, text = body) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: text,
    });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await post({ ...ann.headers, origin: 'https://evil.test' })).status).toBe(403);
  expect((await post({ ...ann.headers, origin: 'null' })).status).toBe(403);
  expect((await post({ ...ann.headers, origin: new URL(service.url).origin })).status).toBe(200);
  expect((await post(ann.headers)).status).toBe(200);
  for (const text of ['{', '[]', '"x"', 'null', '{"jsonrpc":"1.0"}', '['.repeat(100_000)])
    expect((await post(ann.headers, text)).status).toBe(400);
});

test('@openai/agents uses it over HTTP, and over stdio with `reborn mcp serve`', async ({
  service,
  ann,
  env,
  home,
}) => {
  const { replica } = (await (await service.request('/healthz')).json()) as { replica: string };
  const withdraw = await announceService(home.home, { url: service.url, replica });
  const overHttp = new MCPServerStreamableHttp({
    url: `${service.url}/mcp`,
    name: 'reborn',
    requestInit: { headers: ann.headers },
  });
  const overStdio = new MCPServerStdio({
    name: 'reborn',
    command: path.resolve('bin/reborn'),
    args: ['mcp', 'serve'],
    clientSessionTimeoutSeconds: 60, // the command starts a process, which takes longer than 5 s on a busy machine
    env: { ...(BARE_ENV as Record<string, string>), ...env, SERVICE_REBORN_WEBUI_TOKEN: TOKEN },
  });
  for (const server of [overHttp, overStdio]) {
    await server.connect();
    try {
      expect((await server.listTools()).map(({ name }) => name)).toContain('ask');
      const content = await server.callTool('ask', { message: 'say from there' });
      expect(replyOf({ content })).toMatchObject({ status: 'completed', answer: 'from there' });
    } finally {
      await server.close();
    }
  }
  await withdraw();
});
