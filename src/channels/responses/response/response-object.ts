import { z } from 'zod';
import type { TurnReply } from '#agent/watch/turn-reply.ts';
import { SEARCH_SIZES, type SearchOptions } from '#domain/search/search-options.ts';
import type { StoreSearch } from '#domain/search/vector-store.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import { REASONING_DETAILS, REASONING_EFFORTS } from '#domain/thread/sampling.ts';
import type { Placement, ThreadUrl } from '#domain/thread/thread.ts';
import type { Failure, Turn, TurnRequest } from '#domain/thread/turn.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { type Cost, renderUsd, type Usage } from '#domain/usage.ts';
import { placement } from '#http/placement.ts';
import { formatResponseId } from '#http/response-id.ts';
import { TOOL_NAME } from '../../model-api/caller-tools.ts';
import { CONTAINER_ID, formatContainerId } from '../../model-api/container-id.ts';
import { isAnswer } from '../../model-api/is-answer.ts';
import { attributeFilter } from '../../model-api/store-search.ts';
import { FAILURE_CODES, failureOf, failureType } from '../../model-api/turn-failure.ts';
import { formatStoreId, storeId } from '../../model-api/vector-store-id.ts';
import { conversationId, formatConversationId } from '../conversations/conversation-id.ts';
import { SEARCH_TYPES, type SearchType } from '../request/hosted-tools.ts';
import { createCitations } from './file-citations.ts';
import { renderHosted } from './hosted-calls.ts';
import {
  type OutputItem,
  outputItem,
  renderCall,
  renderCompaction,
  renderMessage,
  renderReasoningBefore,
} from './output-items.ts';
import { echoOf, type ResponseEcho } from './response-echo.ts';
import { createToolActivity } from './tool-activity.ts';

export const responseId = z.string().regex(/^resp_[0-9a-f]{64}$/);

const responseError = z
  .strictObject({
    code: z.enum(FAILURE_CODES),
    message: z.string().min(1),
    type: z.enum(['invalid_request_error', 'server_error']),
  })
  .meta({ id: 'Failure' });

const echoedTool = z
  .strictObject({
    type: z.literal('function'),
    name: z.string().regex(TOOL_NAME),
    description: z.string().nullable(),
    parameters: z.record(z.string(), z.unknown()).nullable(),
    strict: z.boolean().nullable(),
  })
  .meta({ id: 'Tool' });

const hostedPlace = z.string().regex(CONTAINER_ID);

const echoedHosted = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('code_interpreter'),
      container: z.union([hostedPlace, z.strictObject({ type: z.literal('auto') })]),
    }),
    z.strictObject({
      type: z.literal('shell'),
      environment: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('container_auto') }),
        z.strictObject({ type: z.literal('container_reference'), container_id: hostedPlace }),
      ]),
    }),
    z.strictObject({
      type: z.enum(SEARCH_TYPES),
      filters: z
        .strictObject({
          allowed_domains: z.array(z.string()).optional(),
          blocked_domains: z.array(z.string()).optional(),
        })
        .nullable(),
      search_context_size: z.enum(SEARCH_SIZES),
      user_location: z
        .strictObject({
          type: z.literal('approximate'),
          city: z.string().nullable(),
          region: z.string().nullable(),
          country: z.string().nullable(),
          timezone: z.string().nullable(),
        })
        .nullable(),
    }),
    z.strictObject({
      type: z.literal('file_search'),
      vector_store_ids: z.array(storeId),
      max_num_results: z.int().min(1),
      filters: attributeFilter.nullable(),
      ranking_options: z.strictObject({ ranker: z.literal('auto'), score_threshold: z.number() }),
    }),
  ])
  .meta({ id: 'HostedTool' });

const echoedFormat = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.enum(['text', 'json_object']) }),
    z.strictObject({
      type: z.literal('json_schema'),
      name: z.string().min(1),
      description: z.string().nullable(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean(),
    }),
  ])
  .meta({ id: 'TextFormat' });

const count = z.int().min(0);
const decimal = z.string().regex(/^\d+(\.\d*[1-9])?$/);

const usageCost = z
  .strictObject({ total_usd: decimal, input_usd: decimal, output_usd: decimal, currency: z.literal('USD') })
  .meta({ id: 'Cost' });

export const responseUsage = z
  .strictObject({
    input_tokens: count,
    input_tokens_details: z.strictObject({ cached_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.strictObject({ reasoning_tokens: count }),
    total_tokens: count,
    cost: usageCost.nullable().describe('null when the price is unknown.'),
    model: z.string().nullable().describe('The model that gave the answer; null when none did.'),
  })
  .refine((usage) => usage.total_tokens === usage.input_tokens + usage.output_tokens, 'total_tokens is not the sum')
  .meta({ id: 'Usage' });

/** The response object. It is stricter than the reference format: it allows only what this service sends. */
export const responseObject = z
  .strictObject({
    id: responseId,
    object: z.literal('response'),
    created_at: count,
    completed_at: count.nullable(),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete']),
    background: z.boolean(),
    conversation: z.strictObject({ id: conversationId }).nullable().describe('As the request named it.'),
    error: responseError.nullable(),
    incomplete_details: z
      .strictObject({ reason: z.enum(['max_output_tokens', 'steered']) })
      .nullable()
      .describe('`steered`: a message of the person came that was to be read first.'),
    instructions: z.string().nullable(),
    max_output_tokens: z.null(),
    max_tool_calls: z.null(),
    metadata: z.record(z.string(), z.unknown()),
    model: z.string().min(1).describe('As asked for by a create, and `reborn` everywhere else.'),
    output: z.array(outputItem),
    parallel_tool_calls: z.literal(true),
    presence_penalty: z.number().min(-2).max(2),
    frequency_penalty: z.number().min(-2).max(2),
    previous_response_id: responseId.nullable(),
    prompt_cache_key: z.null(),
    reasoning: z
      .strictObject({ effort: z.enum(REASONING_EFFORTS).nullable(), summary: z.enum(REASONING_DETAILS).nullable() })
      .nullable(),
    safety_identifier: z.null(),
    service_tier: z.literal('default'),
    store: z.boolean(),
    temperature: z.number().min(0).max(2),
    text: z.strictObject({ format: echoedFormat }),
    tool_choice: z.literal('auto'),
    tools: z.array(z.union([echoedTool, echoedHosted])),
    top_logprobs: z.literal(0),
    top_p: z.number().min(0).max(1),
    truncation: z.literal('disabled'),
    usage: responseUsage,
    x_continued_by: responseId
      .optional()
      .describe(
        'The response that continued after a person answered what this one waited for, or sent the message that steered it.',
      ),
    placed: placement.optional().describe('Where the input is. Only a create that begins says it.'),
  })
  .refine(({ status, error }) => (status === 'failed') === (error !== null), 'error belongs to failed')
  .refine(({ status, completed_at }) => (status === 'completed') === (completed_at !== null), 'completed_at is wrong')
  .refine(({ status, incomplete_details }) => (status === 'incomplete') === (incomplete_details !== null), {
    error: 'incomplete_details belongs to incomplete',
  })
  .refine(({ status, output }) => status !== 'queued' || output.length === 0, 'a queued turn has said nothing')
  .meta({ id: 'Response' });

export type ResponseObject = z.infer<typeof responseObject>;

/** The model of a response that is retrieved or cancelled: the request's model is echoed only by the create. */
export const PLACEHOLDER_MODEL = 'reborn';

/** A turn as the response object of the reference format. Fields that are accepted and ignored hold their defaults. */
export function renderResponse(
  reply: TurnReply,
  model: string,
  threadUrl?: ThreadUrl,
  placed?: Placement | null,
): ResponseObject {
  const { turn, gate } = reply;
  const continuedBy = gate?.kind === 'external-tool' ? null : (turn.steeredBy ?? reply.continuedBy);
  const echo = echoOf(turn);
  const { sampling = {} } = turn.request;
  const failure = failureOf(reply, threadUrl);
  const status = statusOf(turn, failure);
  return {
    id: formatResponseId({ turnId: turn.id, threadId: turn.threadId }),
    object: 'response',
    created_at: seconds(turn.createdAt),
    completed_at: status === 'completed' && turn.endedAt ? seconds(turn.endedAt) : null,
    status,
    background: echo.background,
    conversation: echo.inConversation ? { id: formatConversationId(turn.threadId) } : null,
    error: failure && { code: failure.code, message: failure.message, type: failureType(failure.code) },
    incomplete_details: status === 'incomplete' ? { reason: turn.steeredBy ? 'steered' : 'max_output_tokens' } : null,
    instructions: echo.instructions,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: echo.metadata,
    model,
    output: renderOutput(reply, echo),
    parallel_tool_calls: true,
    presence_penalty: sampling.presencePenalty ?? 0,
    frequency_penalty: sampling.frequencyPenalty ?? 0,
    previous_response_id: echo.previousResponseId,
    prompt_cache_key: null,
    reasoning: renderReasoning(turn.request),
    safety_identifier: null,
    service_tier: 'default',
    store: echo.store,
    temperature: turn.request.temperature ?? 1,
    text: { format: renderFormat(turn.request.format) },
    tool_choice: 'auto',
    tools: [...echo.tools.map(renderTool), ...renderHostedTools(turn, echo)],
    top_logprobs: 0,
    top_p: sampling.topP ?? 1,
    truncation: 'disabled',
    usage: renderUsage(turn.usage),
    ...(continuedBy && { x_continued_by: formatResponseId({ turnId: continuedBy, threadId: turn.threadId }) }),
    ...(placed && { placed }),
  };
}

export const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

function statusOf(turn: Turn, failure: Failure | null): ResponseObject['status'] {
  if (failure) return 'failed';
  if (turn.status === 'waiting') return 'completed';
  return turn.status === 'running' ? 'in_progress' : turn.status;
}

/** The turn's messages, the agent's tool calls if they are included or hosted, and the call that the caller must run. */
function renderOutput({ turn, made, gate }: TurnReply, { toolActivity }: ResponseEcho): OutputItem[] {
  const hosted = renderHosted(turn, made);
  const citationsOf = createCitations(turn);
  const activityOf = createToolActivity(toolActivity);
  const said = made.flatMap((item): OutputItem[] => {
    if (item.type === 'compaction') return [renderCompaction(item)];
    const activity = activityOf(item);
    const ofTool = hosted.has(item.id) ? hosted.get(item.id) : activity;
    const citations = citationsOf(item);
    const shown = isAnswer(item) ? renderMessage(item, citations) : ofTool;
    return [...renderReasoningBefore(item), ...(shown ? [shown] : [])];
  });
  return gate?.kind === 'external-tool' ? [...said, renderCall(gate.call)] : said;
}

const renderTool = (tool: ToolDefinition): ResponseObject['tools'][number] => ({ type: 'function', ...tool });

function renderHostedTools({ request }: Turn, { hosted }: ResponseEcho): ResponseObject['tools'] {
  const id = request.container && formatContainerId(request.container);
  return (hosted?.tools ?? []).flatMap((type) => {
    if (type === 'web_search') return renderSearchTool(hosted?.search ?? type, request.search);
    if (type === 'file_search') return request.stores ? renderStoreSearch(request.stores) : [];
    if (type === 'code_interpreter') return { type, container: id ?? { type: 'auto' } };
    return { type, environment: id ? { type: 'container_reference', container_id: id } : { type: 'container_auto' } };
  });
}

const renderStoreSearch = (asked: StoreSearch): ResponseObject['tools'][number] => ({
  type: 'file_search',
  vector_store_ids: asked.stores.map(formatStoreId),
  max_num_results: asked.limit,
  filters: asked.filter ?? null,
  ranking_options: { ranker: 'auto', score_threshold: asked.leastScore ?? 0 },
});

function renderSearchTool(
  type: SearchType,
  { only, not, size = 'medium', location }: SearchOptions = {},
): ResponseObject['tools'][number] {
  const { city = null, region = null, country = null, timezone = null } = location ?? {};
  return {
    type,
    filters:
      only || not ? { ...(only && { allowed_domains: [...only] }), ...(not && { blocked_domains: [...not] }) } : null,
    search_context_size: size,
    user_location: location ? { type: 'approximate', city, region, country, timezone } : null,
  };
}

export function renderUsage(usage: Usage): ResponseObject['usage'] {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost: usage.cost && renderCost(usage.cost),
    model: usage.model ?? null,
  };
}

function renderReasoning({ sampling, reasoningDetail }: TurnRequest): ResponseObject['reasoning'] {
  const effort = sampling?.reasoning ?? null;
  const summary = reasoningDetail ?? null;
  return effort || summary ? { effort, summary } : null;
}

function renderFormat(format: OutputFormat | undefined): ResponseObject['text']['format'] {
  if (format?.type !== 'json_schema') return format ?? { type: 'text' };
  return { ...format, strict: format.strict ?? false };
}

function renderCost({ inputUsd, outputUsd }: Cost): ResponseObject['usage']['cost'] {
  return {
    total_usd: renderUsd(inputUsd + outputUsd),
    input_usd: renderUsd(inputUsd),
    output_usd: renderUsd(outputUsd),
    currency: 'USD',
  };
}
