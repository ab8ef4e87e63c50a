import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test, vi } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { Prompt } from '../model.ts';
import { askProvider, type TokenCounts } from './ask-provider.ts';
import { readLanguage } from './read-parts.ts';

test('an abort ends even a call that ignores it', async () => {
  const { model, options } = providerThat(() => new Promise(() => {}));
  const cancel = new AbortController();
  const asked = askProvider(model, hello, () => {}, cancel.signal);

  cancel.abort('enough');

  await expect(asked).rejects.toMatchObject({ name: 'ModelCallAborted', cause: 'enough' });
  expect(options[0]?.abortSignal?.aborted).toBe(true);
});

test('an abort ends even a stream that has stalled', async () => {
  const { model, options } = providerThat(async () => new ReadableStream({ cancel: () => new Promise(() => {}) }));
  const cancel = new AbortController();
  const asked = askProvider(model, hello, () => {}, cancel.signal);
  await vi.waitFor(() => expect(options).toHaveLength(1));
  cancel.abort('enough');

  await expect(asked).rejects.toMatchObject({ name: 'ModelCallAborted', cause: 'enough' });
  expect(options[0]?.abortSignal?.aborted).toBe(true);
});

test("an error of the listener does not wait for the provider's stream to be cancelled", async () => {
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

test('a stream that ends without a finish is a failure, and its usage is estimated', async () => {
  const { model } = providerThat(async () =>
    ReadableStream.from<LanguageModelV4StreamPart>([
      { type: 'reasoning-delta', id: 'why', delta: 'Twelve characters each.' },
      { type: 'text-delta', id: 'txt', delta: 'Once' },
      { type: 'text-delta', id: 'txt', delta: ' upon' },
    ]),
  );

  await expect(askProvider(model, hello, () => {}, new AbortController().signal)).rejects.toMatchObject({
    message: 'The model broke off before it had finished.',
    remedy: 'ask-again',
    usage: { inputTokens: 6, outputTokens: 8 },
  });
});

test('the usage of an aborted call covers its prompt and the output so far', async () => {
  const pieces = ['a', 'b', 'c'].map((delta): LanguageModelV4StreamPart => ({ type: 'text-delta', id: 'txt', delta }));
  const { model } = providerThat(
    async () => new ReadableStream({ start: (stream) => pieces.forEach((piece) => stream.enqueue(piece)) }),
  );
  const cancel = new AbortController();
  let heard = 0;
  const asked = askProvider(model, hello, () => ++heard === 3 && cancel.abort('enough'), cancel.signal);

  await expect(asked).rejects.toMatchObject({ cause: 'enough', usage: { inputTokens: 6, outputTokens: 3 } });
});

test('a call that the provider refused has no usage', async () => {
  const { model } = providerThat(() => Promise.reject(new Error('refused')));

  await expect(askProvider(model, hello, () => {}, new AbortController().signal)).rejects.toMatchObject({
    usage: null,
  });
});

test('all token counts are kept, and missing arguments become an empty object', async () => {
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
    usage: { inputTokens: 100, cachedInputTokens: 50, outputTokens: 12, reasoningTokens: 8, cost: null },
  });
});

test('a summary of the reasoning comes before the text, if the prompt asks for it', async () => {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'reasoning-delta', id: 'a', delta: 'It sn' },
    { type: 'reasoning-delta', id: 'a', delta: 'ows.' },
    { type: 'reasoning-delta', id: 'b', delta: 'A coat.' },
    { type: 'text-delta', id: 'txt', delta: 'I look.' },
    { type: 'reasoning-delta', id: 'c', delta: 'Where?' },
    { type: 'tool-call', toolCallId: 'call_a', toolName: 'look', input: '{}' },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: NO_COUNTS },
  ];
  const { model, options } = providerThat(async () => ReadableStream.from(parts));
  const heard: unknown[] = [];
  const ask = (prompt: Prompt) => {
    const record = (what: unknown) => void heard.push(what);
    return askProvider(model, prompt, record, new AbortController().signal, record);
  };

  const { reasoning } = await ask({ ...hello, reasoningDetail: 'auto' });

  expect(heard).toEqual([['It snows.', 'A coat.'], 'I look.']);
  expect(reasoning).toEqual({ beforeText: ['It snows.', 'A coat.'], beforeCalls: ['Where?'] });
  expect(options[0]?.providerOptions?.['openai']).toMatchObject({ reasoningSummary: 'auto' });
  expect((await ask(hello)).reasoning).toBeUndefined();
});

const NO_COUNTS = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
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
  const usageOf = ({ inputTokens = 0, cachedInputTokens, outputTokens = 0, reasoningTokens }: TokenCounts) => ({
    inputTokens,
    cachedInputTokens,
    outputTokens,
    reasoningTokens,
    cost: null,
  });
  return {
    model: {
      name: 'm',
      known: { provider: 'OpenAI', host: 'api.openai.com', name: 'm' },
      provider: 'openai' as const,
      reads: ['image' as const],
      read: readLanguage(language),
      apiKey: '',
      options: {},
      usageOf,
    },
    options,
  };
}
