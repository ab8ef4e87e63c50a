import type { TurnReply } from '#agent/turn/turn-reply.ts';
import { hexFromUuid, type ItemId } from '#domain/ids.ts';
import { type MessageBody, type NewItem, textOf } from '#domain/thread/item.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { type Failure, type FailureCode, refusalAt, type Turn } from '#domain/thread/turn.ts';
import type { GatedCall, NewGate } from '#domain/tool/gate.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Cost, Usage } from '#domain/usage.ts';
import { formatResponseId } from '#http/response-id.ts';
import { echoOf } from './response-echo.ts';
import type { WireFunctionCall, WireMessage, WireOutputItem, WireOutputText } from './wire-item.ts';
import type { WireResponse } from './wire-response.ts';

/** On retrieve and cancel there is no request whose model could be echoed. */
export const PLACEHOLDER_MODEL = 'reborn';

/** A turn as the response object of the reference format. Fields that are accepted and ignored hold their defaults. */
export function renderResponse(reply: TurnReply, model: string, threadUrl?: ThreadUrl): WireResponse {
  const { turn, gate } = reply;
  const echo = echoOf(turn);
  const failure = failureOf(turn, gate, threadUrl);
  const status = statusOf(turn, failure);
  return {
    id: formatResponseId({ turnId: turn.id, threadId: turn.threadId }),
    object: 'response',
    created_at: seconds(turn.createdAt),
    completed_at: status === 'completed' && turn.endedAt ? seconds(turn.endedAt) : null,
    status,
    background: echo.background,
    error: failure && { ...failure, type: CALLERS_FAULT.has(failure.code) ? 'invalid_request_error' : 'server_error' },
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: echo.instructions,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: echo.metadata,
    model,
    output: renderOutput(reply),
    parallel_tool_calls: true,
    presence_penalty: 0,
    frequency_penalty: 0,
    previous_response_id: echo.previousResponseId,
    prompt_cache_key: null,
    reasoning: null,
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: turn.request.temperature ?? 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: echo.tools.map(renderTool),
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: renderUsage(turn.usage),
  };
}

/** Failures that another request would mend; all others are ours, or the model's. */
const CALLERS_FAULT: ReadonlySet<FailureCode> = new Set([
  'approval_required',
  'authentication_required',
  'pairing_required',
  'tool_output_missing',
  'previous_response_not_found',
]);

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** A gate that only a person can answer has no place in this format: the turn is shown as failed, and says where to go. */
function failureOf(turn: Turn, gate: NewGate | null, threadUrl?: ThreadUrl): Failure | null {
  return gate && gate.kind !== 'external-tool' ? refusalAt(gate, threadUrl?.(turn.threadId)) : turn.failure;
}

function statusOf(turn: Turn, failure: Failure | null): WireResponse['status'] {
  if (failure) return 'failed';
  if (turn.status === 'waiting') return 'completed';
  return turn.status === 'running' ? 'in_progress' : turn.status;
}

/** What the turn itself said, and the one call that it hands to the caller. The service's own tool calls stay inside. */
function renderOutput({ made, gate }: TurnReply): WireOutputItem[] {
  const said = made.filter((item) => item.type === 'message').map(renderMessage);
  return gate?.kind === 'external-tool' ? [...said, renderCall(gate.call)] : said;
}

export function renderItem(item: NewItem) {
  switch (item.type) {
    case 'message':
      return renderMessage(item);
    case 'function_call':
      return renderCall(item);
    case 'function_call_output':
      return {
        id: wireItemId(item.type, item.id),
        type: item.type,
        status: 'completed' as const,
        call_id: item.callId,
        output: textOf(item.output),
      };
  }
}

/** What the assistant said: in this turn or, as the caller tells it, before. */
export function renderMessage(item: NewItem & MessageBody): WireMessage {
  return {
    id: wireItemId(item.type, item.id),
    type: item.type,
    role: 'assistant',
    status: item.status,
    content: [outputText(textOf(item.content))],
  };
}

export function renderCall(call: GatedCall): WireFunctionCall {
  return {
    id: wireItemId(call.type, call.id),
    type: call.type,
    status: 'completed',
    call_id: call.callId,
    name: call.name,
    arguments: call.arguments,
  };
}

const ITEM_PREFIX = { message: 'msg', function_call: 'fc', function_call_output: 'fco' } as const;

export const wireItemId = (type: NewItem['type'], id: ItemId) => `${ITEM_PREFIX[type]}_${hexFromUuid(id)}`;

export const outputText = (said: string): WireOutputText => ({
  type: 'output_text',
  text: said,
  annotations: [],
  logprobs: [],
});

const renderTool = (tool: ToolDefinition): WireResponse['tools'][number] => ({ type: 'function', ...tool });

function renderUsage(usage: Usage): WireResponse['usage'] {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost && renderCost(usage.cost),
  };
}

function renderCost({ inputUsd, outputUsd }: Cost): WireResponse['usage']['cost'] {
  return {
    total_usd: decimal(inputUsd + outputUsd),
    input_usd: decimal(inputUsd),
    output_usd: decimal(outputUsd),
    currency: 'USD',
  };
}

/** Never in the exponent form that `String` would choose for small amounts. */
const decimal = (amount: number) => amount.toFixed(12).replace(/\.?0+$/, '');
