import { subscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, TOKEN } from '../support/service.ts';
import { agents } from './agents.ts';
import { aiSdk } from './ai-sdk.ts';
import { codex, opencode } from './coding-agents/programs.ts';
import { replay } from './coding-agents/replay.ts';
import { renderTable, type Success } from './compatibility-table.ts';
import { FEATURES, type Targets } from './features.ts';
import { langchain } from './langchain.ts';
import { openai } from './openai.ts';

const CLIENTS = [openai, aiSdk, agents, langchain];
const PROGRAMS = [codex, opencode];

const successes: Success[] = [];
const hosts = new Set<string>();
const running = new AsyncDisposableStack();
let targets: Targets;

beforeAll(async () => {
  forgetSettings();
  subscribe('undici:client:beforeConnect', (message) => {
    hosts.add((message as { connectParams: { hostname: string } }).connectParams.hostname);
  });
  const model = await startScriptedModel();
  running.defer(() => model.close());
  const [service, limited] = await Promise.all([start(model.url, '10000'), start(model.url, '2')]);
  targets = {
    service: { baseURL: `${service}/api/v1`, apiKey: TOKEN },
    alias: { baseURL: `${service}/v1`, apiKey: TOKEN },
    stranger: { baseURL: `${service}/api/v1`, apiKey: 'an invalid token' },
    nowhere: { baseURL: `${service}/nowhere`, apiKey: TOKEN },
    limited: { baseURL: `${limited}/api/v1`, apiKey: TOKEN },
  };
});

afterAll(() => running.disposeAsync());

for (const client of CLIENTS) {
  for (const feature of FEATURES) {
    const check = client.features[feature];
    if (typeof check === 'string') continue;

    test(`${client.packages[0]} ${feature}`, async () => {
      await expect(check(targets)).resolves.toBeUndefined();
      successes.push({ client, feature });
    });
  }
}

test.for(PROGRAMS)('$name runs two parallel tools, with the requests that it sends as shipped', async (program) => {
  const { version, recorded, made, text } = await replay(program, targets.alias);

  expect(version).toBe(program.version);
  expect(recorded).toHaveLength(2);
  expect(made).toEqual(recorded);
  expect(text).toMatch(/result: [^]*sun in Rome/);
});

test('a function of a namespace is called with its own name, and its output continues the thread', async () => {
  const { responses } = new OpenAI({ ...targets.service, maxRetries: 0 });
  const find = {
    type: 'function' as const,
    name: 'find',
    description: '',
    strict: false,
    parameters: { type: 'object' },
  };
  const tools = [{ type: 'namespace' as const, name: 'crm', description: 'The customers.', tools: [find] }];
  const input: ResponseInput = [
    { role: 'user', content: 'use crm__find {"name":"Ann"}\nuse crm__find {"name":"Ben"}' },
  ];
  for (const name of ['Ann', 'Ben']) {
    const { output } = await responses.create({ model: 'any', input, tools, store: false });
    const [call] = output;
    expect(output).toMatchObject([
      { type: 'function_call', namespace: 'crm', name: 'find', arguments: `{"name":"${name}"}` },
    ]);
    if (call?.type !== 'function_call') throw new Error('The call is missing.');
    input.push(call, { type: 'function_call_output', call_id: call.call_id, output: `found ${name}` });
  }

  expect((await responses.create({ model: 'any', input, tools, store: false })).output_text).toBe('result: found Ben');
});

test('docs/reference/compatibility.md says what the clients can do', async () => {
  await expect(await renderTable(CLIENTS, successes, PROGRAMS)).toMatchFileSnapshot(
    path.resolve('docs/reference/compatibility.md'),
  );
});

test('no client connects to anything but loopback', () => {
  expect([...hosts]).toEqual(['127.0.0.1']);
});

/** Removes environment variables of these clients, so that the tests send nothing to another host. */
function forgetSettings(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(OPENAI|LANGCHAIN|LANGSMITH)_/.test(name)) delete process.env[name];
  }
}

/** With the settings that coding agents need; the libraries need none. */
async function start(modelUrl: string, ratePerMinute: string): Promise<string> {
  const home = await freshHome();
  running.defer(() => home.remove());
  const service = await startService({
    ...home.env,
    ...codex.settings,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: modelUrl,
    CHAT_RATE_PER_MINUTE: ratePerMinute,
    RESPONSES_HOSTED_TOOLS: 'file_search',
  });
  running.defer(() => service.close());
  return service.url;
}
