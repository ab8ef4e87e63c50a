import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { Thoughts } from '#domain/thread/thoughts.ts';
import type { AnswerThoughts, PromptCall } from '../model.ts';
import type { ModelRoute } from '../model-route.ts';
import { createModel } from './create-model.ts';
import { serveWire } from './recorded-wire.test-support.ts';

const event = (body: Record<string, unknown> & { readonly type: string }) =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const data = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const call = { callId: 'call_a', name: 'lookup', arguments: '{"city":"Oslo"}' };
const { signal } = new AbortController();

/** An answer with a thought and a call, in the words of each provider. */
const ANSWERS = {
  anthropic: [
    event({
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Where is it?' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'SIGNED' } }),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'call_a', name: 'lookup', input: {} },
    }),
    event({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: call.arguments },
    }),
    event({ type: 'content_block_stop', index: 1 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 2 },
    }),
    event({ type: 'message_stop' }),
  ],
  google: [
    data({
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: [
              { text: 'Where is it?', thought: true },
              { functionCall: { id: 'call_a', name: 'lookup', args: { city: 'Oslo' } }, thoughtSignature: 'SIGNED' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }),
  ],
};

const NAMES = { anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-flash' };
const routeTo = (provider: keyof typeof NAMES, baseUrl: string, name = NAMES[provider]): ModelRoute => ({
  provider,
  name,
  baseUrl,
  apiKey: 'k',
});

const hello = { role: 'user' as const, content: [text('hello')] };
const plain = {
  system: '',
  tools: [{ name: 'lookup', description: null, parameters: null, strict: null }],
  temperature: null,
};

/** What the model gets with the result of its call. */
async function askWithResult(
  provider: keyof typeof NAMES,
  calls: readonly PromptCall[],
  name?: string,
): Promise<string> {
  await using server = await serveWire({ body: ANSWERS[provider] });
  const messages = [
    hello,
    { role: 'assistant' as const, text: '', calls },
    { role: 'tool' as const, callId: 'call_a', name: 'lookup', output: [text('cold')] },
  ];
  await createModel(routeTo(provider, server.baseUrl, name)).ask({ ...plain, messages }, () => {}, signal);
  return JSON.stringify(server.requests[0]?.body);
}

function toThoughts(provider: keyof typeof NAMES, { parts, calls }: AnswerThoughts): Thoughts {
  const attached = calls.get('call_a');
  return { provider, model: NAMES[provider], parts, ...(attached && { call: attached }) };
}

test.each(['anthropic', 'google'] as const)(
  '%s gets the thoughts of a call back with its result, and another model does not',
  async (provider) => {
    await using server = await serveWire({ body: ANSWERS[provider] });
    const prompt = { ...plain, messages: [hello], sampling: { reasoning: 'low' as const } };
    const answer = await createModel(routeTo(provider, server.baseUrl)).ask(prompt, () => {}, signal);
    expect(answer.calls).toEqual([call]);
    expect(answer.thoughts?.parts).toMatchObject([{ text: 'Where is it?' }]);

    // As it is after it was stored.
    const stored = JSON.parse(JSON.stringify(toThoughts(provider, answer.thoughts as AnswerThoughts))) as Thoughts;
    expect(await askWithResult(provider, [{ ...call, thoughts: stored }])).toContain('SIGNED');
    expect(await askWithResult(provider, [{ ...call, thoughts: stored }], 'another')).not.toContain('SIGNED');
    expect(await askWithResult(provider, [call])).not.toContain('Where is it?');
  },
);
