import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { SearchOptions } from '#domain/search/search-options.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import type { Sampling } from '#domain/thread/sampling.ts';
import { WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { callerTools, MAX_TOOLS_BYTES, parseTools } from '../../model-api/caller-tools.ts';
import type { KnownFiles } from '../../model-api/file-id.ts';
import { frameMessage } from '../../model-api/frame-message.ts';
import { outputFormat, parseFormat } from '../../model-api/output-format.ts';
import { METADATA, MODEL, refuseTools, STREAM, TEMPERATURE } from '../../model-api/request-fields.ts';
import {
  FREQUENCY_PENALTY,
  PRESENCE_PENALTY,
  REASONING_EFFORT,
  TOP_P,
  toSampling,
} from '../../model-api/sampling-fields.ts';
import { locationContext, NO_ENGINE, parseSearchOptions, webSearchOptions } from '../../model-api/search-options.ts';
import { MAX_TOKENS, STOP, wholeNumber } from './answer-limits.ts';
import { messages, parseMessages } from './messages.ts';
import { chooseTools, TOOL_CHOICE } from './tool-choice.ts';

/** A request that has passed every check. */
export type ChatRequest = {
  readonly model: string;
  readonly items: readonly NewItem[];
  readonly stream: boolean;
  /** Whether a stream ends with the usage. */
  readonly includeUsage: boolean;
  readonly temperature: number | null;
  /** undefined when the request sets none of it. */
  readonly sampling: Sampling | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly ToolDefinition[];
  /** Whether the answer must be a call of one of `tools`. */
  readonly mustCall: boolean;
  /** The form of the answer; undefined for text. */
  readonly format: OutputFormat | undefined;
  /** What the request says about searches; undefined when it says nothing. */
  readonly search: SearchOptions | undefined;
  /** Whether the conversation stays in the service. */
  readonly store: boolean;
};

export type ParseOptions = {
  /** Knows the names that a caller's tool must not have. */
  readonly isTaken: (name: string) => boolean;
  /** Whether callers may bring tools at all. */
  readonly externalTools: boolean;
  /** The uploaded files that the messages name. */
  readonly files: KnownFiles;
  /** Whether the operator serves the search of this format; otherwise its field is ignored. */
  readonly servesSearch: boolean;
};

const [plainFormat, { shape: schemaFormat }] = outputFormat.options;

const responseFormat = z
  .union([
    plainFormat,
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ ...schemaFormat, type: z.unknown().optional() }),
    }),
  ])
  .nullish()
  .describe('The form of the answer.');

/** The fields of the body, in the order of their checks. `schema` is published in the OpenAPI document; `parse` decides. */
const FIELDS = {
  model: MODEL,
  messages: { schema: messages, parse: parseMessages },
  n: { schema: z.literal(1).nullish().describe('One answer per request.'), parse: checkCount },
  stream: STREAM,
  stream_options: {
    schema: z
      .looseObject({ include_usage: z.boolean().nullish().describe('End the stream with a chunk that has the usage.') })
      .nullish(),
    parse: (options: unknown) => isObject(options) && options['include_usage'] === true,
  },
  temperature: TEMPERATURE,
  top_p: TOP_P,
  presence_penalty: PRESENCE_PENALTY,
  frequency_penalty: FREQUENCY_PENALTY,
  reasoning_effort: REASONING_EFFORT,
  max_tokens: MAX_TOKENS,
  max_completion_tokens: {
    schema: MAX_TOKENS.schema.describe('The same as `max_tokens`, and wins over it.'),
    parse: wholeNumber('max_completion_tokens', 1),
  },
  seed: {
    schema: z.int().nullish().describe('Passed on to the model.'),
    parse: wholeNumber('seed', Number.MIN_SAFE_INTEGER),
  },
  stop: STOP,
  metadata: { ...METADATA, schema: METADATA.schema.describe('Stored with the turn.') },
  tools: {
    schema: callerTools.nested,
    parse: (tools: unknown, { isTaken }: ParseOptions) =>
      parseTools(tools, { isTaken, maxBytes: MAX_TOOLS_BYTES, layout: 'nested', unknownTools: 'refuse' }) ?? [],
  },
  tool_choice: TOOL_CHOICE,
  response_format: { schema: responseFormat, parse: parseResponseFormat },
  web_search_options: {
    schema: webSearchOptions
      .nullish()
      .describe(
        'Where the user is, and how much of the web is read. Ignored unless `RESPONSES_HOSTED_TOOLS` has `web_search`.',
      ),
    parse: parseSearch,
  },
  store: {
    schema: z.boolean().nullish().describe('`true`: keep the conversation as a thread. Otherwise it is deleted.'),
    parse: (value: unknown) => value === true,
  },
};

/** The published schema of the body. */
export const chatRequest = z
  .looseObject(Object.fromEntries(Object.entries(FIELDS).map(([name, { schema }]) => [name, schema])))
  .meta({ id: 'CreateChatCompletion', description: 'Unknown fields are ignored.' });

type Parsed = { readonly [Name in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[Name]['parse']> };

export function parseChatRequest(body: unknown, options: ParseOptions): ChatRequest {
  if (!isObject(body)) throw new InvalidRequest('invalid_request', null, 'The body must be a JSON object.');
  if (!options.externalTools) refuseTools(body);
  const parsed = Object.fromEntries(
    Object.entries(FIELDS).map(([name, { parse }]) => [name, parse(body[name], options)]),
  ) as Parsed;
  const { model, stream, stream_options: includeUsage } = parsed;
  const { temperature, metadata, response_format: format, store, web_search_options: search } = parsed;
  const sampling = toSampling({
    topP: parsed.top_p,
    presencePenalty: parsed.presence_penalty,
    frequencyPenalty: parsed.frequency_penalty,
    reasoning: parsed.reasoning_effort,
    maxOutputTokens: parsed.max_completion_tokens ?? parsed.max_tokens,
    stopSequences: parsed.stop,
    seed: parsed.seed,
  });
  const items = frameMessage(parsed.messages, null, locationContext(search) ?? null);
  const chosen = chooseTools(parsed.tools, parsed.tool_choice);
  return { model, items, stream, includeUsage, temperature, sampling, metadata, ...chosen, format, search, store };
}

function parseSearch(given: unknown, { servesSearch, isTaken }: ParseOptions): SearchOptions | undefined {
  if (!servesSearch || given === undefined || given === null) return undefined;
  if (!isTaken(WEB_SEARCH)) throw new InvalidRequest('invalid_request', 'web_search_options', NO_ENGINE);
  return parseSearchOptions(given, 'web_search_options');
}

function checkCount(n: unknown): void {
  if (n !== undefined && n !== null && n !== 1)
    throw new InvalidRequest('invalid_request', 'n', 'n must be 1: the service gives one answer per request.');
}

/** The fields of a schema are in an object `json_schema`. */
function parseResponseFormat(format: unknown): OutputFormat | undefined {
  if (!isObject(format) || format['type'] !== 'json_schema') return parseFormat(format, 'response_format');
  const { json_schema: fields } = format;
  const param = 'response_format.json_schema';
  if (!isObject(fields))
    throw new InvalidRequest('invalid_request', param, 'json_schema must be an object with name and schema.');
  return parseFormat({ ...fields, type: 'json_schema' }, param);
}
