import { z } from 'zod';
import type { FailureCode } from '#domain/thread/turn.ts';
import { wireOutputItem } from './wire-item.ts';

const FAILURE_CODES = [
  'model_error',
  'model_not_configured',
  'tool_error',
  'turn_timeout',
  'approval_required',
  'authentication_required',
  'pairing_required',
  'tool_output_missing',
  'previous_response_not_found',
  'max_rounds',
  'budget_exceeded',
  'interrupted',
  'internal_error',
] as const satisfies FailureCode[];

export const wireResponseId = z.string().regex(/^resp_[0-9a-f]{64}$/);

const wireFailure = z
  .strictObject({
    code: z.enum(FAILURE_CODES),
    message: z.string().min(1),
    type: z.enum(['invalid_request_error', 'server_error']),
  })
  .meta({ id: 'Failure' });

const wireTool = z
  .strictObject({
    type: z.literal('function'),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().nullable(),
    parameters: z.record(z.string(), z.unknown()).nullable(),
    strict: z.boolean().nullable(),
  })
  .meta({ id: 'Tool' });

const count = z.int().min(0);
const decimal = z.string().regex(/^\d+(\.\d*[1-9])?$/);

const wireCost = z
  .strictObject({ total_usd: decimal, input_usd: decimal, output_usd: decimal, currency: z.literal('USD') })
  .meta({ id: 'Cost' });

const wireUsage = z
  .strictObject({
    input_tokens: count,
    input_tokens_details: z.strictObject({ cached_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.strictObject({ reasoning_tokens: count }),
    total_tokens: count,
    cost: wireCost.nullable().describe('null when the price is unknown.'),
  })
  .refine((usage) => usage.total_tokens === usage.input_tokens + usage.output_tokens, 'total_tokens is not the sum')
  .meta({ id: 'Usage' });

/** The response object as we send it: where the reference format allows more than we ever say, this does not. */
export const wireResponse = z
  .strictObject({
    id: wireResponseId,
    object: z.literal('response'),
    created_at: count,
    completed_at: count.nullable(),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled', 'incomplete']),
    background: z.boolean(),
    error: wireFailure.nullable(),
    incomplete_details: z.strictObject({ reason: z.literal('max_output_tokens') }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.null(),
    max_tool_calls: z.null(),
    metadata: z.record(z.string(), z.unknown()),
    model: z.string().min(1).describe('As asked for by a create, and `reborn` everywhere else.'),
    output: z.array(wireOutputItem),
    parallel_tool_calls: z.literal(true),
    presence_penalty: z.literal(0),
    frequency_penalty: z.literal(0),
    previous_response_id: wireResponseId.nullable(),
    prompt_cache_key: z.null(),
    reasoning: z.null(),
    safety_identifier: z.null(),
    service_tier: z.literal('default'),
    store: z.literal(true),
    temperature: z.number().min(0).max(2),
    text: z.strictObject({ format: z.strictObject({ type: z.literal('text') }) }),
    tool_choice: z.literal('auto'),
    tools: z.array(wireTool),
    top_logprobs: z.literal(0),
    top_p: z.literal(1),
    truncation: z.literal('disabled'),
    usage: wireUsage,
  })
  .refine(({ status, error }) => (status === 'failed') === (error !== null), 'error belongs to failed')
  .refine(({ status, completed_at }) => (status === 'completed') === (completed_at !== null), 'completed_at is wrong')
  .refine(({ status, incomplete_details }) => (status === 'incomplete') === (incomplete_details !== null), {
    error: 'incomplete_details belongs to incomplete',
  })
  .refine(({ status, output }) => status !== 'queued' || output.length === 0, 'a queued turn has said nothing')
  .meta({ id: 'Response' });

export type WireResponse = z.infer<typeof wireResponse>;
