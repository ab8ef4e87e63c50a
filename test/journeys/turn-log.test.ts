import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '#app/app.ts';
import { createLog } from '#app/log.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import type { Tool } from '#tools/tool.ts';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { clientOf, SETTINGS } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

const tool = (name: string, level: 'allow' | 'ask'): Tool => ({
  definition: { name, description: null, parameters: { type: 'object' }, strict: null },
  repeatable: true,
  level,
  call: async () => 'OUTPUT-OF-THE-TOOL',
});

let model: Awaited<ReturnType<typeof startScriptedModel>>;
let home: Awaited<ReturnType<typeof freshHome>>;
let app: App;
let file: string;

beforeAll(async () => {
  [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
  const config = readConfig({
    ...SETTINGS,
    ...home.env,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
    LOG_LEVEL: 'debug',
  });
  file = path.join(config.home, 'debug.log');
  app = await startApp(config, createLog(config.logLevel, { file }), {
    tools: [tool('look', 'allow'), tool('send', 'ask')],
  });
});

afterAll(async () => {
  await app.close();
  await Promise.all([model.close(), home.remove()]);
});

type Line = { msg: string; turnId?: string; [fact: string]: unknown };

/** The lines of a thread's turns, once `count` of its turns are settled. */
async function linesOf(threadId: string, count: number): Promise<Line[]> {
  return waitFor('the turns to be settled', async () => {
    const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    const own = lines.map((line) => JSON.parse(line) as Line).filter((line) => line['threadId'] === threadId);
    return own.filter(({ msg }) => msg === 'turn settled').length === count ? own : undefined;
  });
}

test('the debug log has each step of a turn in order, with ids and times and without content', async () => {
  const { request } = clientOf(app.gatewayUrl ?? '');
  const post = async (route: string, body: object) =>
    (await (await request(route, { method: 'POST', body: JSON.stringify(body) })).json()) as {
      thread_id: string;
      gate: { id: string };
    };
  const looked = await post('/api/chat', { message: 'use look {"at":"ARGUMENT-OF-THE-CALL"}\nWORDS-OF-THE-USER' });
  const lines = await linesOf(looked.thread_id, 1);

  expect(lines.map(({ msg }) => msg)).toEqual([
    'turn accepted',
    'turn claimed',
    'model asked',
    'model answered',
    'tool called',
    'tool answered',
    'model asked',
    'model answered',
    'turn settled',
  ]);
  expect(new Set(lines.map(({ turnId }) => turnId)).size).toBe(1);
  for (const { turnId, traceId } of lines) expect(traceId).toBe(turnId?.replaceAll('-', ''));
  expect(lines[1]).toMatchObject({ level: 20, attempt: 0, waitedMs: expect.any(Number) });
  expect(lines[3]).toMatchObject({ model: 'scripted', calls: 1, ms: expect.any(Number) });
  expect(lines[5]).toMatchObject({ tool: 'look', itemId: expect.any(String), ms: expect.any(Number) });
  expect(lines.at(-1)).toMatchObject({ status: 'completed', ms: expect.any(Number) });

  const waiting = await post('/api/chat', { message: 'use send {"to":"ARGUMENT-OF-THE-CALL"}' });
  await post(`/api/gates/${waiting.gate.id}`, { answer: 'approve' });
  const gated = await linesOf(waiting.thread_id, 2);

  expect(gated.map(({ msg }) => msg)).toEqual([
    'turn accepted',
    'turn claimed',
    'model asked',
    'model answered',
    'gate opened',
    'turn settled',
    'turn accepted',
    'turn claimed',
    'tool called',
    'tool answered',
    'model asked',
    'model answered',
    'turn settled',
  ]);
  expect(gated[4]).toMatchObject({ gateId: waiting.gate.id, kind: 'approval' });
  expect(await readFile(file, 'utf8')).not.toMatch(/WORDS-OF|ARGUMENT-OF|OUTPUT-OF/);
});
