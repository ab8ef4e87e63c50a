import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { ModelCall } from '#domain/spending.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type Model, ModelFailure, type Prompt } from '#models/model.ts';
import { createMeter } from './budget-meter.ts';
import { createToolModel } from './tool-model.ts';

const CALL = {
  id: 'i1' as ItemId,
  type: 'function_call',
  callId: 'c1',
  name: 'docs__poem',
  arguments: '{}',
  external: false,
  threadId: 't1' as ThreadId,
  turnId: 'u1' as TurnId,
  turnSeq: 1,
  position: 1,
  attempt: 0,
  usage: null,
  startedAt: null,
} satisfies FunctionCallItem;
const USAGE = { ...NO_USAGE, inputTokens: 20, outputTokens: 5 };
const REQUEST = {
  instructions: 'You are key-1234.',
  messages: [{ role: 'user' as const, text: 'Say key-1234.' }],
  maxTokens: 10,
  temperature: null,
};

function start(answer: (onText: (delta: string) => void, signal: AbortSignal) => Promise<string>, spentTokens = 0) {
  const prompts: Prompt[] = [];
  const counted: ModelCall[] = [];
  const model: Model = {
    provider: 'p',
    name: 'm',
    contextSize: { windowTokens: 1000, promptTokens: 1000 },
    async ask(prompt, onText, signal) {
      prompts.push(prompt);
      return { text: await answer(onText, signal), calls: [], finish: 'stop', usage: USAGE };
    },
  };
  const toolModel = createToolModel({
    findModel: async () => model,
    meterFor: (signal) =>
      createMeter({
        limits: { tokensPerDay: 100, usdPerDay: null },
        spent: async () => ({ tokens: spentTokens, usd: 0 }),
        signal,
      }),
    redactor: async () => (said) => said.replaceAll('key-1234', '[secret]'),
    count: async (_tool, call) => void counted.push(call),
    signal: new AbortController().signal,
    patienceMs: 50,
  });
  return { toolModel, prompts, counted };
}

test('the model sees the request alone, without tools and without secrets, and the call is counted', async () => {
  const { toolModel, prompts, counted } = start(async () => 'It is key-1234.');
  expect(await toolModel.ask(CALL, REQUEST)).toEqual({ text: 'It is [secret].', model: 'm', isCut: false });
  expect(prompts).toEqual([
    {
      system: expect.stringMatching(/^A program asks you.*\n\nYou are \[secret\]\.$/s),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say [secret].' }] }],
      tools: [],
      temperature: null,
      sampling: { maxOutputTokens: 10 },
    },
  ]);
  expect(counted).toMatchObject([{ model: 'm', usage: { inputTokens: 20 }, failed: false }]);
  expect(toolModel.usages()).toHaveLength(1);
  expect(toolModel.take(CALL.id)).toMatchObject([{ usage: { inputTokens: 20, outputTokens: 5 } }]);
  expect(toolModel.usages()).toEqual([]);
});

test('a user whose budget is used up: the model is not asked, and the tool learns no figures', async () => {
  const { toolModel, prompts, counted } = start(async () => 'no', 100);
  await expect(toolModel.ask(CALL, REQUEST)).rejects.toThrow("The user can't use the model any more today.");
  expect([prompts, counted]).toEqual([[], []]);
});

test('a model that writes more than allowed is stopped', async () => {
  const { toolModel } = start(async (onText) => {
    onText('x'.repeat(1000));
    return 'x'.repeat(1000);
  });
  expect(await toolModel.ask(CALL, REQUEST)).toMatchObject({ text: 'x'.repeat(60), isCut: true });
});

test('a failure is counted, and its text stays here', async () => {
  const { toolModel, counted } = start(() => Promise.reject(new ModelFailure('model_error', 'The account is empty.')));
  await expect(toolModel.ask(CALL, REQUEST)).rejects.toThrow('The model could not answer.');
  expect(counted).toMatchObject([{ failed: true }]);
});
