import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { text } from '#domain/item.ts';
import { askProvider, BrokenOff } from './ask-provider.ts';
import type { Prompt } from './model.ts';

test('an abort ends even a call that does not listen to it', async () => {
  const { model, options } = providerThat(() => new Promise(() => {}));
  const cancel = new AbortController();
  const asked = askProvider(model, hello, () => {}, cancel.signal);

  cancel.abort('enough');

  await expect(asked).rejects.toBe('enough');
  expect(options[0]?.abortSignal?.aborted).toBe(true);
});

test('an abort ends even a stream that has fallen silent', async () => {
  const { model, options } = providerThat(async () => new ReadableStream({ cancel: () => new Promise(() => {}) }));
  const cancel = new AbortController();
  const asked = askProvider(model, hello, () => {}, cancel.signal);
  setTimeout(() => cancel.abort('enough'), 5);

  await expect(asked).rejects.toBe('enough');
  expect(options[0]?.abortSignal?.aborted).toBe(true);
});

test("what the listener throws does not wait for the provider's stream to be cancelled", async () => {
  const said: LanguageModelV4StreamPart = { type: 'text-delta', id: 'txt', delta: 'Once' };
  const { model, options } = providerThat(
    async () =>
      new ReadableStream({ start: (stream) => stream.enqueue(said), cancel: () => new Promise<void>(() => {}) }),
  );
  const bug = new TypeError('a bug');
  const asked = askProvider(
    model,
    hello,
    () => {
      throw bug;
    },
    new AbortController().signal,
  );

  await expect(asked).rejects.toBe(bug);
  expect(options[0]?.abortSignal?.aborted).toBe(true);
});

test('a stream that ends without a finish is a failure', async () => {
  const { model } = providerThat(async () => ReadableStream.from([{ type: 'text-delta', id: 'txt', delta: 'Once' }]));

  await expect(askProvider(model, hello, () => {}, new AbortController().signal)).rejects.toEqual(
    new BrokenOff('The model broke off before it had finished.', NOTHING_COUNTED),
  );
});

test('every count is taken over, and arguments that the model left out are an empty object', async () => {
  const { model } = providerThat(async () =>
    ReadableStream.from<LanguageModelV4StreamPart>([
      { type: 'tool-call', toolCallId: 'call_a', toolName: 'ping', input: '' },
      {
        type: 'finish',
        finishReason: { unified: 'tool-calls', raw: 'tool_use' },
        usage: {
          inputTokens: { total: 100, noCache: 30, cacheRead: 50, cacheWrite: 20 },
          outputTokens: { total: 12, text: 4, reasoning: 8 },
        },
      },
    ]),
  );

  expect(await askProvider(model, hello, () => {}, new AbortController().signal)).toEqual({
    text: '',
    calls: [{ callId: 'call_a', name: 'ping', arguments: '{}' }],
    finish: 'stop',
    tokens: { inputTokens: 100, cachedInputTokens: 50, cacheWriteTokens: 20, outputTokens: 12, reasoningTokens: 8 },
  });
});

const NOTHING_COUNTED = {
  inputTokens: undefined,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: undefined,
  reasoningTokens: 0,
};

const hello: Prompt = {
  system: '',
  messages: [{ role: 'user', content: [text('Hello')] }],
  tools: [],
  temperature: null,
};

function providerThat(answers: () => Promise<ReadableStream<LanguageModelV4StreamPart>>) {
  const options: LanguageModelV4CallOptions[] = [];
  const language: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Answers are always streamed.')),
    doStream: async (given) => {
      options.push(given);
      return { stream: await answers() };
    },
  };
  return { model: { provider: 'openai' as const, language, apiKey: '', options: {} }, options };
}
