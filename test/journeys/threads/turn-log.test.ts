import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '#app/app.ts';
import { createLog } from '#app/log.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import type { Tool } from '#tools/tool.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { clientOf, SETTINGS } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const tool = (name: string, level: 'allow' | 'ask'): Tool => ({
  definition: { name, description: null, parameters: { type: 'object' }, strict: null },
  repeatable: true,
  flow: { reads: {}, runs: 'always' },
  level,
  call: async () => 'OUTPUT-OF-THE-TOOL',
});

const STOPPED: Tool = {
  ...tool('slow', 'allow'),
  async call(_params, { onStopped }) {
    onStopped?.('wall');
    return 'OUTPUT-OF-THE-TOOL';
  },
};
const BROKEN: Tool = {
  ...tool('broken', 'allow'),
  call: () => Promise.reject(new TypeError('ARGUMENT-OF-THE-CALL')),
};

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
    LLM_API_KEY: 'ollama',
    LOG_LEVEL: 'debug',
  });
  file = path.join(config.home, 'debug.log');
  app = await startApp(config, createLog(config.logLevel, { file }), {
    tools: [tool('look', 'allow'), tool('send', 'ask'), STOPPED, BROKEN],
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
    return own.filter(({ msg }) => /^turn (?:settled|failed)$/.test(msg)).length === count ? own : undefined;
  });
}

async function post(route: string, body: object) {
  const { request } = clientOf(app.gatewayUrl ?? '');
  const answer = await request(route, { method: 'POST', body: JSON.stringify(body) });
  return (await answer.json()) as { thread_id: string; gate: { id: string }; message: string };
}

test.each([
  ['a model that refuses', 'break 400', ['model failed', 'turn failed']],
  ['a tool that is stopped at a limit', 'use slow {"at":"ARGUMENT-OF-THE-CALL"}', ['tool stopped']],
  ['a tool that can not be run', 'use broken {"at":"ARGUMENT-OF-THE-CALL"}', ['tool failed', 'turn failed']],
])('%s is a warning in the log, with code, ids and time and without content', async (_case, message, expected) => {
  const { thread_id: thread } = await post('/api/chat', { message: `${message}\nWORDS-OF-THE-USER` });
  const warnings = (await linesOf(thread, 1)).filter(({ level }) => level === 40);

  expect(warnings.map(({ msg }) => msg)).toEqual(expected);
  for (const { msg, ...facts } of warnings)
    expect(facts).toMatchObject({
      turnId: expect.any(String),
      attempt: 0,
      ms: expect.any(Number),
      ...FACTS[msg],
    });
  expect(await readFile(file, 'utf8')).not.toMatch(/WORDS-OF|ARGUMENT-OF|OUTPUT-OF|scripted 400/);
});

const FACTS: Readonly<Record<string, object>> = {
  'model failed': { provider: 'openai-compatible', model: 'scripted', code: 'model_error', status: 400 },
  'turn failed': { code: expect.stringMatching(/^(?:model|tool)_error$/) },
  'tool stopped': { tool: 'slow', itemId: expect.any(String), code: 'wall' },
  'tool failed': { tool: 'broken', itemId: expect.any(String), code: 'TypeError' },
};

test("a local model's key that is an ordinary word is not removed from answers", async () => {
  const { message } = await post('/api/chat', { message: 'say I run in ollama' });
  expect(message).toBe('I run in ollama');
});

test('the debug log has each step of a turn in order, with ids and times and without content', async () => {
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
