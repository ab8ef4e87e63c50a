import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelSettings } from '#agent/administration/model-settings.ts';
import { openDatabase } from '#database/open-database.ts';
import type { ModelRoute } from '#models/model-route.ts';
import { connectStore } from '#store/connection.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { startService } from '../../support/service.ts';

let models: Awaited<ReturnType<typeof startScriptedModel>>[];
let home: Awaited<ReturnType<typeof freshHome>>;

beforeAll(async () => {
  models = await Promise.all([startScriptedModel(), startScriptedModel()]);
  home = await freshHome();
});

afterAll(async () => {
  await Promise.all(models.map((model) => model.close()));
  await home.remove();
});

test('a request whose model names a route uses that route, and any other uses the default', async () => {
  const [usual, fast] = models;
  const env = { ...home.env, LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'usual', LLM_BASE_URL: usual?.url ?? '' };
  const service = await startService(env);
  await storeRoutes({ fast: { provider: 'openai-compatible', name: 'small', baseUrl: fast?.url ?? '' } });

  await service.ask('say one', { model: 'fast' });
  await service.ask('say two', { model: 'another' });
  const chat = async (model: unknown) =>
    (await service.request('/api/chat', { method: 'POST', body: JSON.stringify({ message: 'say three', model }) }))
      .status;
  expect(await chat('fast')).toBe(200);
  for (const wrong of ['', 'fast\0', '\ud800', 7]) expect(await chat(wrong)).toBe(400);
  await service.close();

  expect([usual?.seen.length, fast?.seen.length]).toEqual([1, 2]);
  expect(fast?.seen.map(({ messages }) => messages.at(-1)?.text)).toEqual(['say one', 'say three']);
});

test("the provider's key is not sent to an address from a request", async () => {
  const keys: unknown[] = [];
  const stranger = createServer((request, response) => {
    const { authorization, 'x-api-key': anthropic, 'x-goog-api-key': google } = request.headers;
    keys.push(authorization ?? anthropic ?? google ?? 'none');
    response.writeHead(500).end('{}');
  });
  await once(stranger.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/v1`;
  const service = await startService({
    ...home.env,
    LLM_PROVIDER: 'openai',
    LLM_MODEL: 'm',
    OPENAI_API_KEY: 'key-of-openai',
    ANTHROPIC_API_KEY: 'key-of-anthropic',
    GOOGLE_GENERATIVE_AI_API_KEY: 'key-of-google',
  });
  for (const provider of ['openai', 'anthropic', 'google', 'openai-compatible']) {
    const body = JSON.stringify({ model: { provider, name: 'm', base_url: address } });
    const tried = await service.request('/api/settings/test-model', { method: 'POST', body });
    expect(await tried.json()).toMatchObject({ ok: false });
  }
  await service.close();
  stranger.close();

  expect(new Set(keys)).toEqual(new Set(['none'])); // openai-compatible needs no key, so it does call the address
});

async function storeRoutes(routes: Readonly<Record<string, ModelRoute>>): Promise<void> {
  const url = 'DATABASE_URL' in home.env ? home.env.DATABASE_URL : undefined;
  const database = await openDatabase({ url, home: home.home });
  const db = connectStore(database.connection, () => {});
  await createModelSettings(db).changeRoutes(() => routes, 'operator');
  await db.destroy();
  await database.close();
}
