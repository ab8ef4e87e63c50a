import { expect, test } from 'vitest';
import { replyOf } from '#agent/watch/turn-reply.ts';
import type { GateId, ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type Item, type ItemBody, text } from '#domain/thread/item.ts';
import type { Turn, TurnRecord } from '#domain/thread/turn.ts';
import type { Gate, GateKind } from '#domain/tool/gate.ts';
import { NO_USAGE, type Usage } from '#domain/usage.ts';
import type { ResponseEcho } from './response-echo.ts';
import { renderResponse } from './response-object.ts';

const turnId = '01234567-89ab-7def-8123-456789abcdef' as TurnId;
const threadId = '01234567-89ab-7def-8123-000000000000' as ThreadId;
const itemId = '01234567-89ab-7def-8123-456789abcdef' as ItemId;
const hex = '0123456789ab7def8123456789abcdef';
const call: Gate['call'] = {
  id: itemId,
  type: 'function_call',
  external: false,
  callId: 'call_1',
  name: 'look',
  arguments: '{"a": 1}',
};

function render(turn: Partial<Turn> = {}, record: Partial<TurnRecord> = {}, echo: Partial<ResponseEcho> = {}) {
  const shown: ResponseEcho = {
    previousResponseId: null,
    inConversation: false,
    instructions: null,
    metadata: {},
    tools: [],
    background: false,
    store: true,
    toolActivity: false,
    ...echo,
  };
  const whole: Turn = {
    id: turnId,
    threadId,
    userId: 'ann',
    seq: 1,
    run: null,
    steers: null,
    steeredBy: null,
    status: 'completed',
    channel: 'responses',
    request: { model: 'm', temperature: null, tools: [], echo: shown },
    failure: null,
    usage: NO_USAGE,
    attempt: 0,
    cancelReason: null,
    createdAt: new Date(1_700_000_000_999),
    endedAt: new Date(1_700_000_005_999),
    ...turn,
  };
  return renderResponse(replyOf({ turn: whole, items: [], gate: null, ...record }), 'm');
}

const gate = (kind: GateKind): Gate => ({ id: 'g' as GateId, threadId, turnId, kind, call });
const position = { id: itemId, threadId, turnId, turnSeq: 1, position: 0, usage: null, startedAt: null };
const item = (body: ItemBody, attempt: number | null = 0): Item => ({
  ...position,
  ...body,
  attempt,
});
const said = (value: string, attempt: number | null = 0, status: 'completed' | 'incomplete' = 'completed') =>
  item({ type: 'message', role: 'assistant', content: [text(value)], status }, attempt);

test('a response carries every field that the reference format requires', () => {
  expect(render()).toEqual({
    id: 'resp_0123456789ab7def8123456789abcdef0123456789ab7def8123000000000000',
    object: 'response',
    created_at: 1_700_000_000,
    completed_at: 1_700_000_005,
    status: 'completed',
    background: false,
    conversation: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    model: 'm',
    output: [],
    parallel_tool_calls: true,
    presence_penalty: 0,
    frequency_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: null,
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: expect.any(Object),
  });
});

test('the request is echoed, each tool with all its keys', () => {
  const bare = { name: 'look', description: null, parameters: null, strict: null };
  const echo = { instructions: 'Be brief.', metadata: { a: '1' }, background: true };
  const request = { model: 'm', temperature: 0, tools: [] };

  expect(render({}, {}, { ...echo, tools: [bare], previousResponseId: 'resp_1' })).toMatchObject({
    ...echo,
    previous_response_id: 'resp_1',
    tools: [{ type: 'function', ...bare }],
  });
  expect(render({ request: { ...request, echo: { metadata: {}, tools: [] } } }).temperature).toBe(0);
});

test.each<[Turn['status'], string]>([
  ['queued', 'queued'],
  ['running', 'in_progress'],
  ['completed', 'completed'],
  ['incomplete', 'incomplete'],
  ['cancelled', 'cancelled'],
])('a turn that is %s is shown as %s, without an error', (status, shown) => {
  expect(render({ status })).toMatchObject({ status: shown, error: null });
});

test('only a completed response has a time of completion', () => {
  expect(render({ status: 'running', endedAt: null }).completed_at).toBeNull();
  expect(render({ status: 'cancelled' }).completed_at).toBeNull();
  expect(render({ status: 'failed', failure: { code: 'max_rounds', message: 'm' } }).completed_at).toBeNull();
});

test("an incomplete response names the model's limit", () => {
  expect(render({ status: 'incomplete' }).incomplete_details).toEqual({ reason: 'max_output_tokens' });
});

test('a failed turn carries its error, and the output so far', () => {
  const failure = { code: 'model_error', message: 'It broke.' } as const;
  const response = render({ status: 'failed', failure }, { items: [said('half', 0, 'incomplete')] });

  expect(response).toMatchObject({ status: 'failed', error: { ...failure, type: expect.any(String) } });
  expect(response.output).toMatchObject([{ type: 'message', status: 'incomplete', content: [{ text: 'half' }] }]);
});

test('a turn that ends at an external gate is completed: leading text first, then the one call', () => {
  const items = [said('Let me look.'), item(call), item({ ...call, callId: 'call_2' })];
  const response = render({ status: 'waiting' }, { items, gate: gate('external-tool') });

  expect(response).toMatchObject({ status: 'completed', error: null, completed_at: 1_700_000_005 });
  expect(response.output).toEqual([
    {
      id: `msg_${hex}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] }],
    },
    {
      id: `fc_${hex}`,
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'look',
      arguments: '{"a": 1}',
    },
  ]);
});

test('reasoning is an item before the message or call it led to', () => {
  const content = [text('I look.')];
  const message = item({ type: 'message', role: 'assistant', content, status: 'completed', reasoning: ['It snows.'] });
  const asked = item({ ...call, external: true, reasoning: ['Where?', 'Oslo.'] });

  const { output } = render({ status: 'waiting' }, { items: [message, asked], gate: gate('external-tool') });

  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'function_call']);
  expect(output[2]).toEqual({
    id: `rs_${hex}`,
    type: 'reasoning',
    summary: [
      { type: 'summary_text', text: 'Where?' },
      { type: 'summary_text', text: 'Oslo.' },
    ],
  });
});

test.each<[GateKind, string]>([
  ['approval', 'approval_required'],
  ['auth', 'authentication_required'],
  ['pairing', 'pairing_required'],
])('a turn that waits at a gate of kind %s is shown as failed with %s, and its call stays inside', (kind, code) => {
  const response = render({ status: 'waiting' }, { items: [said('One moment.')], gate: gate(kind) });

  expect(response).toMatchObject({ status: 'failed', error: { code, message: expect.stringContaining('web UI') } });
  expect(response.completed_at).toBeNull();
  expect(response.output).toMatchObject([{ type: 'message' }]);
});

test('the output contains neither the input nor calls of built-in tools', () => {
  const output = item({ type: 'function_call_output', callId: 'call_1', output: [text('noon')] });
  const items = [said('from the input', null), item(call), output, said('It is noon.')];

  expect(render({}, { items }).output).toMatchObject([{ type: 'message', content: [{ text: 'It is noon.' }] }]);
});

test('usage has its totals and the cost in decimal strings', () => {
  const usage: Usage = {
    inputTokens: 10,
    cachedInputTokens: 4,
    outputTokens: 5,
    reasoningTokens: 3,
    cost: { inputUsd: 0.1, outputUsd: 0.2 },
    model: 'm',
  };

  expect(render({ usage }).usage).toEqual({
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 15,
    model: 'm',
    cost: { total_usd: '0.3', input_usd: '0.1', output_usd: '0.2', currency: 'USD' },
  });
  expect(render({ usage: { ...usage, cost: null } }).usage.cost).toBeNull();
});

test.each([
  [0, '0'],
  [1e-7, '0.0000001'],
  [2.5e-9, '0.0000000025'],
  [0.15, '0.15'],
  [10, '10'],
  [100.5, '100.5'],
])('a cost of %d is written %s, never with an exponent', (inputUsd, written) => {
  expect(render({ usage: { ...NO_USAGE, cost: { inputUsd, outputUsd: 0 } } }).usage.cost?.input_usd).toBe(written);
});
