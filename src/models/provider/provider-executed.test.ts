import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import { createModel } from './create-model.ts';
import { serveWire } from './recorded-wire.test-support.ts';

const data = (body: object) => `data: ${JSON.stringify(body)}\n\n`;
const event = (body: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${body.type}\n${data(body)}`;

const PAGE = { url: 'https://tides.example/', title: 'Tides' };
const usage = { input_tokens: 1, output_tokens: 1 };
const message = { type: 'message', id: 'msg_1', role: 'assistant' };
const citation = { type: 'url_citation', start_index: 0, end_index: 4, ...PAGE };

/** A search by the provider, an answer that cites a page, and, except for Google, a call of ours. */
const WIRES = {
  openai: [
    event({ type: 'response.created', response: { id: 'r', created_at: 1, model: 'm', object: 'response' } }),
    event({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'web_search_call', id: 'ws_1', status: 'in_progress' },
    }),
    event({
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'tides' } },
    }),
    event({ type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } }),
    event({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'High' }),
    event({
      type: 'response.output_text.annotation.added',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      annotation_index: 0,
      annotation: citation,
    }),
    event({
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...message, content: [{ type: 'output_text', text: 'High', annotations: [citation] }] },
    }),
    event({
      type: 'response.output_item.added',
      output_index: 2,
      item: { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'lookup', arguments: '' },
    }),
    event({
      type: 'response.output_item.done',
      output_index: 2,
      item: {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_a',
        name: 'lookup',
        arguments: '{}',
        status: 'completed',
      },
    }),
    event({ type: 'response.completed', response: { id: 'r', usage } }),
  ],
  anthropic: [
    event({
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage },
    }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
    }),
    event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"query":"tides"}' },
    }),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'web_search_tool_result',
        tool_use_id: 'srv_1',
        content: [{ type: 'web_search_result', ...PAGE, encrypted_content: 'x', page_age: null }],
      },
    }),
    event({ type: 'content_block_stop', index: 1 }),
    event({ type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'High' } }),
    event({ type: 'content_block_stop', index: 2 }),
    event({
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'call_a', name: 'lookup', input: {} },
    }),
    event({ type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{}' } }),
    event({ type: 'content_block_stop', index: 3 }),
    event({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }),
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
              { executableCode: { language: 'PYTHON', code: 'print(1)' } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
              { text: 'High' },
            ],
          },
          groundingMetadata: { groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }),
  ],
};

test.each([
  ['openai', ['lookup']],
  ['anthropic', ['lookup']],
  ['google', []],
] as const)(
  'a call that %s has executed itself is not made again, and its sources are kept',
  async (provider, calls) => {
    await using server = await serveWire({ body: WIRES[provider] });
    const prompt = {
      system: '',
      messages: [{ role: 'user' as const, content: [text('tides?')] }],
      tools: [{ name: 'lookup', description: null, parameters: null, strict: null }],
      temperature: null,
    };
    const model = createModel({ provider, name: 'm', baseUrl: server.baseUrl, apiKey: 'k' });

    const answer = await model.ask(prompt, () => {}, new AbortController().signal);

    expect(answer.text).toBe('High');
    expect(answer.calls.map(({ name }) => name)).toEqual(calls);
    expect(answer.sources).toEqual([PAGE]);
  },
);
