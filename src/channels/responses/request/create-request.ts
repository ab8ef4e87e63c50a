import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { ThreadId, TurnIds } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import type { ReasoningDetail, Sampling } from '#domain/thread/sampling.ts';
import type { WhenBusy } from '#domain/thread/thread.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { describeWhenBusy, whenBusy } from '#http/placement.ts';
import { parseResponseId } from '#http/response-id.ts';
import { callerTools, parseTools, type ToolRules } from '../../model-api/caller-tools.ts';
import { frameMessage } from '../../model-api/frame-message.ts';
import { jsonBytes } from '../../model-api/json-value.ts';
import { outputFormat, parseFormat } from '../../model-api/output-format.ts';
import { METADATA, MODEL, refuseTools, STREAM, TEMPERATURE } from '../../model-api/request-fields.ts';
import { FREQUENCY_PENALTY, PRESENCE_PENALTY, REASONING, TOP_P, toSampling } from '../../model-api/sampling-fields.ts';
import { locationContext } from '../../model-api/search-options.ts';
import { conversationId, parseConversationId } from '../conversations/conversation-id.ts';
import { responseId } from '../response/response-object.ts';
import { TOOL_ACTIVITY } from '../response/tool-activity.ts';
import {
  CODE_OUTPUTS,
  FILE_RESULTS,
  type HostedTool,
  type HostedTools,
  isHosted,
  parseHosted,
  SEARCH_SOURCES,
} from './hosted-tools.ts';
import { type ItemSources, inputItems, parseInput } from './input-items.ts';

/** A create request that has passed every check. */
export type CreateRequest = {
  readonly model: string;
  readonly previous: TurnIds | undefined;
  readonly previousResponseId: string | null;
  /** The thread that the request names as its conversation. */
  readonly conversation: ThreadId | undefined;
  readonly stream: boolean;
  readonly background: boolean;
  readonly store: boolean;
  /** Whether the output has the agent's tool calls. */
  readonly toolActivity: boolean;
  readonly temperature: number | null;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Hosted tools that the request lists; undefined for none. */
  readonly hosted: HostedTools | undefined;
  /** undefined when the request has none. */
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly items: readonly NewItem[];
  /** The tokens of a prompt above which it is compacted. */
  readonly compactAbove: number | undefined;
  /** undefined for prose. */
  readonly format: OutputFormat | undefined;
  /** undefined when the request sets none of it. */
  readonly sampling: Sampling | undefined;
  readonly reasoningDetail: ReasoningDetail | undefined;
  readonly whenBusy: WhenBusy;
};

/** A prompt has about this length before it has any history. */
const MIN_THRESHOLD = 1000;
const MAX_CONTEXT_BYTES = 10_240;

export type ParseOptions = ItemSources & {
  /** Knows the names that a caller's tool must not have. */
  readonly isTaken: (name: string) => boolean;
  /** Whether callers may bring tools at all. */
  readonly externalTools: boolean;
  /** The operator's limits on them. */
  readonly toolLimits: ToolLimits;
};

export type ToolLimits = Pick<ToolRules, 'maxBytes' | 'unknownTools'> & {
  /** The hosted tools that are served. */
  readonly hosted: readonly HostedTool[];
};

type Context = ParseOptions & {
  /** Whether the request names the response that it continues. */
  readonly hasPrevious: boolean;
  /** Whether the request continues a thread. */
  readonly continues: boolean;
};

/**
 * The fields of the body, in the order of their checks. `schema` is published in the OpenAPI document; `parse`
 * decides, because its refusals have exact messages and it knows rules that a schema can't express, such as bytes. `refused`
 * says which values get status 400; without it, a value that the field can't have is ignored.
 */
const FIELDS = {
  model: MODEL,
  previous_response_id: {
    schema: responseId.nullish().describe('Continues the thread of that response.'),
    parse: parsePrevious,
    refused: 'Anything but the id of a response.',
  },
  conversation: {
    schema: z
      .union([conversationId, z.looseObject({ id: conversationId })])
      .nullish()
      .describe('Continues that conversation. Not together with `previous_response_id`.'),
    parse: (value: unknown, { hasPrevious }: Context) => parseConversation(value, hasPrevious),
    refused: 'Anything but the id of a conversation, or an object with it.',
  },
  instructions: {
    schema: z.string().nullish().describe('Prepended to the message, and stored in the thread with it.'),
    parse: parseInstructions,
    refused: 'Anything but a string.',
  },
  x_context: {
    schema: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe(`Context for the model, at most ${MAX_CONTEXT_BYTES.toLocaleString('en-US')} bytes of JSON.`),
    parse: parseContext,
    refused: 'Anything but an object of this size.',
  },
  input: {
    schema: inputItems,
    parse: (value: unknown, { continues, ...sources }: Context) => parseInput(value, continues, sources),
    refused: 'Anything but a text that is not blank, or a list of items.',
  },
  stream: STREAM,
  background: {
    schema: z.boolean().nullish().describe('Answer at once, with status queued.'),
    parse: (value: unknown) => value === true,
  },
  when_busy: {
    schema: whenBusy.nullish().describe(describeWhenBusy('Left out: `queue`.')),
    parse: parseWhenBusy,
    refused: 'Anything but these four words.',
  },
  store: {
    schema: z.boolean().nullish().describe('`false`: the response is deleted once it has been delivered.'),
    parse: (value: unknown) => value !== false,
    refused: '`false` together with `background: true`.',
  },
  include: {
    schema: z
      .array(z.string())
      .nullish()
      .describe(
        `\`${TOOL_ACTIVITY}\` adds the agent's tool calls to the output, \`${CODE_OUTPUTS}\` what code of a hosted tool has printed and drawn, \`${SEARCH_SOURCES}\` the addresses that a hosted search has found, and \`${FILE_RESULTS}\` the passages that it has found in vector stores. Other values are ignored.`,
      ),
    parse: (value: unknown) => ({
      toolActivity: Array.isArray(value) && value.includes(TOOL_ACTIVITY),
      outputs: Array.isArray(value) && value.includes(CODE_OUTPUTS),
      sources: Array.isArray(value) && value.includes(SEARCH_SOURCES),
      results: Array.isArray(value) && value.includes(FILE_RESULTS),
    }),
  },
  context_management: {
    schema: z
      .array(z.looseObject({ type: z.string(), compact_threshold: z.int().min(MIN_THRESHOLD).nullish() }))
      .nullish()
      .describe(
        '`compaction`: a prompt of more than `compact_threshold` tokens is compacted, and `output` begins with the summary as a `compaction` item.',
      ),
    parse: parseThreshold,
    refused: `A \`compact_threshold\` that is not a whole number of at least ${MIN_THRESHOLD.toLocaleString('en-US')}.`,
  },
  temperature: TEMPERATURE,
  top_p: TOP_P,
  presence_penalty: PRESENCE_PENALTY,
  frequency_penalty: FREQUENCY_PENALTY,
  reasoning: REASONING,
  metadata: METADATA,
  tools: {
    schema: callerTools.flat,
    parse: (value: unknown, { isTaken, toolLimits: { hosted, ...limits } }: Context) =>
      parseTools(value, { isTaken, ...limits, layout: 'flat', isHosted: (tool) => isHosted(tool, hosted) }),
    refused:
      'Anything but a list of such functions. `RESPONSES_UNKNOWN_TOOLS=ignore` passes over tools of other types, and `RESPONSES_HOSTED_TOOLS` serves some of them.',
  },
  text: {
    schema: z.looseObject({ format: outputFormat.nullish() }).nullish().describe('The form of the answer.'),
    parse: (value: unknown) => parseFormat(isObject(value) ? value['format'] : undefined, 'text.format'),
    refused: 'A `format` of an unknown type, or with a schema that an answer can not be checked against.',
  },
};

/** Public fields that change nothing. Clients send them, and the spec lets unknown fields pass. */
const IGNORED_FIELDS = {
  tool_choice: 'The model decides which tools it calls.',
  max_output_tokens: 'The model writes until it is done.',
  parallel_tool_calls: 'Your tools are called one at a time, also when the model wants several.',
  max_tool_calls: 'A turn can have 50 rounds of tool calls.',
  truncation: 'A thread that is too long for the model is summarised.',
  top_logprobs: 'Probabilities are not returned.',
  stream_options: 'Streams have no padding to turn off.',
  service_tier: 'The operator chooses the provider.',
  safety_identifier: 'The provider does not learn who your users are.',
  prompt_cache_key: "Prompts are built so that the providers' caches find them.",
};

type FieldMeaning = {
  readonly name: string;
  readonly isUsed: boolean;
  readonly meaning: string;
  /** The values that are answered with 400; undefined when none is. */
  readonly refused: string | undefined;
};

/** All fields of the body that are known here, with their meaning, or the reason why they are ignored. */
export const fieldMeanings = (): FieldMeaning[] => [
  ...Object.entries(FIELDS).map(([name, field]) => ({
    name,
    isUsed: true,
    meaning: field.schema.description ?? '',
    refused: 'refused' in field ? field.refused : undefined,
  })),
  ...Object.entries(IGNORED_FIELDS).map(([name, meaning]) => ({ name, isUsed: false, meaning, refused: undefined })),
];

/** The published schema of the body. */
export const createRequest = z
  .looseObject(Object.fromEntries(Object.entries(FIELDS).map(([name, { schema }]) => [name, schema])))
  .meta({ id: 'CreateResponse', description: 'Unknown fields are ignored.' });

type Parsed = { readonly [Name in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[Name]['parse']> };

export function parseCreate(body: unknown, options: ParseOptions): CreateRequest {
  if (!isObject(body)) throw new InvalidRequest('invalid_request', null, 'The body must be a JSON object.');
  if (!options.externalTools) refuseTools(body);
  const [hasPrevious, hasConversation] = [isGiven(body['previous_response_id']), isGiven(body['conversation'])];
  const context = { ...options, hasPrevious, continues: hasPrevious || hasConversation };
  const parsed = Object.fromEntries(
    Object.entries(FIELDS).map(([name, { parse }]) => [name, parse(body[name], context)]),
  ) as Parsed;
  const { model, previous_response_id: previous, conversation, stream, background, store, temperature } = parsed;
  const { instructions, metadata, tools, input, include, x_context: userContext } = parsed;
  const hosted = parseHosted(body['tools'], { ...options, ...include, served: options.toolLimits.hosted });
  const known = { ...locationContext(hosted?.search?.options), ...userContext };
  if (background && !store) throw new InvalidRequest('invalid_request', 'store', KEEPS_NOTHING);
  return {
    model,
    previous: previous?.ids,
    previousResponseId: previous?.id ?? null,
    conversation,
    stream,
    background,
    store,
    toolActivity: include.toolActivity,
    temperature,
    instructions,
    metadata,
    tools,
    hosted,
    items: frameMessage(input, instructions, known),
    compactAbove: parsed.context_management,
    format: parsed.text,
    sampling: toSampling({
      topP: parsed.top_p,
      presencePenalty: parsed.presence_penalty,
      frequencyPenalty: parsed.frequency_penalty,
      reasoning: parsed.reasoning.effort,
    }),
    reasoningDetail: parsed.reasoning.detail,
    whenBusy: parsed.when_busy,
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const KEEPS_NOTHING =
  'A response with background: true is fetched later, so it must be stored. Leave out store: false, or background.';

type Previous = { readonly id: string; readonly ids: TurnIds };

export function parsePrevious(value: unknown): Previous | null {
  const id = value ?? null;
  if (id === null) return null;
  const refuse = (message: string) =>
    new InvalidRequest('previous_response_not_found', 'previous_response_id', message);
  if (typeof id !== 'string') throw refuse('previous_response_id must be a string.');
  const ids = parseResponseId(id);
  if (!ids) throw refuse('previous_response_id is not the id of a response. Send the id as a create returned it.');
  return { id, ids };
}

function parseConversation(value: unknown, hasPrevious: boolean): ThreadId | undefined {
  if (value === undefined || value === null) return undefined;
  const refuse = (message: string) => new InvalidRequest('invalid_request', 'conversation', message);
  if (hasPrevious) throw refuse('Send either conversation or previous_response_id, not both.');
  const id = isObject(value) ? value['id'] : value;
  const threadId = typeof id === 'string' ? parseConversationId(id) : undefined;
  if (!threadId) throw refuse('conversation must be the id of a conversation, or an object with that id.');
  return threadId;
}

function parseThreshold(value: unknown): number | undefined {
  const entry: unknown = Array.isArray(value)
    ? value.find((each) => isObject(each) && each['type'] === 'compaction')
    : undefined;
  const threshold = isObject(entry) ? (entry['compact_threshold'] ?? undefined) : undefined;
  if (threshold === undefined) return undefined;
  if (typeof threshold !== 'number' || !Number.isSafeInteger(threshold) || threshold < MIN_THRESHOLD)
    throw new InvalidRequest(
      'invalid_request',
      'context_management',
      `compact_threshold must be a whole number of at least ${MIN_THRESHOLD} tokens.`,
    );
  return threshold;
}

function parseWhenBusy(value: unknown): WhenBusy {
  const { data, error } = whenBusy.nullish().safeParse(value);
  if (error) throw new InvalidRequest('invalid_request', 'when_busy', error.issues[0]?.message ?? error.message);
  return data ?? 'queue';
}

export function parseInstructions(instructions: unknown): string | null {
  if (instructions === undefined || instructions === null) return null;
  if (typeof instructions !== 'string')
    throw new InvalidRequest('invalid_request', 'instructions', 'instructions must be a string.');
  return instructions;
}

function parseContext(context: unknown): Record<string, unknown> | null {
  if (context === undefined || context === null) return null;
  if (!isObject(context)) throw new InvalidRequest('invalid_request', 'x_context', 'x_context must be an object.');
  const bytes = jsonBytes(context);
  if (bytes === undefined || bytes > MAX_CONTEXT_BYTES)
    throw new InvalidRequest(
      'invalid_request',
      'x_context',
      `x_context must not exceed ${MAX_CONTEXT_BYTES} bytes of JSON.`,
    );
  return context;
}
