import { subscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, TOKEN } from '../support/service.ts';
import { agents } from './agents.ts';
import { aiSdk } from './ai-sdk.ts';
import { renderTable, type Success } from './compatibility-table.ts';
import { FEATURES, type Targets } from './features.ts';
import { langchain } from './langchain.ts';
import { openai } from './openai.ts';

const CLIENTS = [openai, aiSdk, agents, langchain];

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

test('docs/compatibility.md says what the clients can do', async () => {
  await expect(await renderTable(CLIENTS, successes)).toMatchFileSnapshot(path.resolve('docs/compatibility.md'));
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

async function start(modelUrl: string, ratePerMinute: string): Promise<string> {
  const home = await freshHome();
  running.defer(() => home.remove());
  const service = await startService({
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: modelUrl,
    CHAT_RATE_PER_MINUTE: ratePerMinute,
  });
  running.defer(() => service.close());
  return service.url;
}
