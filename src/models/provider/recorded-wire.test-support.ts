import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ToolCall } from '#domain/tool/tool.ts';
import type { ModelProvider } from '../model-route.ts';

/** A provider's stream on the wire. Each answer uses 100 input tokens, 40 of them cached, and 20 output tokens. */
export type Wire = {
  readonly provider: Exclude<ModelProvider, 'demo'>;
  /** The streamed events of an answer. `length`: cut short by the model's own limit. */
  says(words: readonly string[], finish?: 'stop' | 'length'): string[];
  calls(calls: readonly ToolCall[]): string[];
  /** How many events at the end of an answer mark it as complete. */
  readonly closingEvents: number;
  errorBody(message: string): unknown;
};

export type WireAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: readonly string[] | Record<string, unknown>;
  /** What follows the body: a proper end, a cut connection, or nothing. Default: the end. */
  readonly ending?: 'end' | 'cut' | 'silence';
};

export type SentRequest = { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: never };

/** A provider on loopback that records its requests. Without an answer it accepts the request and sends nothing. */
export async function serveWire(answer: WireAnswer | null) {
  const requests: SentRequest[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.socket.once('close', () => closed.resolve());
    void receive(request).then((sent) => {
      requests.push(sent);
      if (answer) send(response, answer);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    requests,
    /** Settles when the caller's connection is gone. */
    closed: closed.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function receive(request: IncomingMessage): Promise<SentRequest> {
  return { path: request.url ?? '', headers: request.headers, body: (await json(request)) as never };
}

function send(response: ServerResponse, { status = 200, headers, body, ending = 'end' }: WireAnswer): void {
  if (!Array.isArray(body)) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream' });
  response.write(body.join(''));
  if (ending === 'end') response.end();
  if (ending === 'cut') setTimeout(() => response.destroy(), 20);
}

const openai: Wire = {
  provider: 'openai',
  says: (words, finish = 'stop') => {
    const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
    const text = words.join('');
    return [
      named({ type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm', object: 'response' } }),
      named({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } }),
      named({ type: 'response.content_part.added', item_id: 'msg_1', output_index: 0, content_index: 0, part: {} }),
      ...words.map((delta) =>
        named({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
      ),
      named({ type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, content_index: 0, text }),
      named({
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, content: [{ type: 'output_text', text, annotations: [] }] },
      }),
      finish === 'stop'
        ? named({ type: 'response.completed', response: { id: 'resp_1', usage: responsesUsage } })
        : named({
            type: 'response.incomplete',
            response: { id: 'resp_1', incomplete_details: { reason: 'max_output_tokens' }, usage: responsesUsage },
          }),
    ];
  },
  calls: (calls) => [
    named({ type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm', object: 'response' } }),
    ...calls.flatMap((call, output_index) => {
      const item = { type: 'function_call', id: `fc_${output_index}`, call_id: call.callId, name: call.name };
      const item_id = item.id;
      return [
        named({ type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } }),
        ...halves(call.arguments).map((delta) =>
          named({ type: 'response.function_call_arguments.delta', item_id, output_index, delta }),
        ),
        named({ type: 'response.function_call_arguments.done', item_id, output_index, arguments: call.arguments }),
        named({
          type: 'response.output_item.done',
          output_index,
          item: { ...item, arguments: call.arguments, status: 'completed' },
        }),
      ];
    }),
    named({ type: 'response.completed', response: { id: 'resp_1', usage: responsesUsage } }),
  ],
  closingEvents: 1,
  errorBody: (message) => ({ error: { message, type: 'invalid_request_error', code: null, param: null } }),
};

const responsesUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120,
};

const anthropic: Wire = {
  provider: 'anthropic',
  says: (words, finish = 'stop') => [
    messageStart,
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    named({ type: 'ping' }),
    ...words.map((text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    named({ type: 'content_block_stop', index: 0 }),
    ...messageStop(finish === 'stop' ? 'end_turn' : 'max_tokens'),
  ],
  calls: (calls) => [
    messageStart,
    ...calls.flatMap((call, index) => [
      named({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: call.callId, name: call.name, input: {} },
      }),
      ...halves(call.arguments).map((partial_json) =>
        named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } }),
      ),
      named({ type: 'content_block_stop', index }),
    ]),
    ...messageStop('tool_use'),
  ],
  closingEvents: 2,
  errorBody: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
};

const messageStart = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 60, cache_creation_input_tokens: 0, cache_read_input_tokens: 40, output_tokens: 1 },
  },
});

function messageStop(stop_reason: string): string[] {
  return [
    named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } }),
    named({ type: 'message_stop' }),
  ];
}

const google: Wire = {
  provider: 'google',
  says: (words, finish = 'stop') => [
    ...words.map((text) => data({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] })),
    googleEnd([{ text: '' }], finish === 'stop' ? 'STOP' : 'MAX_TOKENS'),
  ],
  calls: (calls) => [
    googleEnd(
      calls.map((call) => ({
        functionCall: { id: call.callId, name: call.name, args: JSON.parse(call.arguments) as unknown },
      })),
      'STOP',
    ),
  ],
  closingEvents: 1,
  errorBody: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
};

function googleEnd(parts: readonly unknown[], finishReason: string): string {
  return data({
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: 120,
    },
  });
}

const openaiCompatible: Wire = {
  provider: 'openai-compatible',
  says: (words, finish = 'stop') => [
    chunk({ role: 'assistant', content: '' }, null),
    ...words.map((content) => chunk({ content }, null)),
    ...chatEnd(finish),
  ],
  calls: (calls) => [
    ...calls.flatMap((call, index) => [
      chunk(
        { tool_calls: [{ index, id: call.callId, type: 'function', function: { name: call.name, arguments: '' } }] },
        null,
      ),
      ...halves(call.arguments).map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] }, null)),
    ]),
    ...chatEnd('tool_calls'),
  ],
  closingEvents: 3,
  errorBody: (message) => ({ error: { message, type: 'invalid_request_error', code: null, param: null } }),
};

function chunk(delta: unknown, finish_reason: string | null): string {
  return data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
}

function chatEnd(finish: string): string[] {
  const usage = {
    prompt_tokens: 100,
    prompt_tokens_details: { cached_tokens: 40 },
    completion_tokens: 20,
    completion_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  };
  return [
    chunk({}, finish),
    data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

export const wires = { openai, anthropic, google, 'openai-compatible': openaiCompatible };

function named(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\n${data(event)}`;
}

function data(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
