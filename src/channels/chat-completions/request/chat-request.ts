import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { callerTools, parseTools } from '../../model-api/caller-tools.ts';
import { isObject } from '../../model-api/json-value.ts';
import { METADATA, MODEL, refuseTools, STREAM, TEMPERATURE } from '../../model-api/request-fields.ts';
import { messages, parseMessages } from './messages.ts';

/** A request that has passed every check. */
export type ChatRequest = {
  readonly model: string;
  readonly items: readonly NewItem[];
  readonly stream: boolean;
  /** Whether a stream ends with the usage. */
  readonly includeUsage: boolean;
  readonly temperature: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly ToolDefinition[];
};

export type ParseOptions = {
  /** Knows the names that a caller's tool must not have. */
  readonly isTaken: (name: string) => boolean;
  /** Whether callers may bring tools at all. */
  readonly externalTools: boolean;
};

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
  metadata: { ...METADATA, schema: METADATA.schema.describe('Stored with the turn.') },
  tools: {
    schema: callerTools.nested,
    parse: (tools: unknown, { isTaken }: ParseOptions) => parseTools(tools, isTaken, 'nested') ?? [],
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
  const { model, messages: items, stream, stream_options: includeUsage, temperature, metadata, tools } = parsed;
  return { model, items, stream, includeUsage, temperature, metadata, tools };
}

function checkCount(n: unknown): void {
  if (n !== undefined && n !== null && n !== 1)
    throw new InvalidRequest('invalid_request', 'n', 'n must be 1: the service gives one answer per request.');
}
