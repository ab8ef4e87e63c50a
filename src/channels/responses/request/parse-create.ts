import { InvalidRequest } from '#domain/errors.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import { parseResponseId, type ResponseKey } from '#http/response-id.ts';
import { frameMessage } from './frame-message.ts';
import { isObject, isShallow, jsonBytes } from './json-value.ts';
import { type KnownItems, parseInput } from './parse-input.ts';
import { parseTools } from './parse-tools.ts';

/** A create request whose every rule has been checked. */
export type CreateRequest = {
  readonly model: string;
  readonly previous: ResponseKey | undefined;
  readonly previousResponseId: string | null;
  readonly stream: boolean;
  readonly background: boolean;
  readonly temperature: number | null;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** undefined when the request names none. */
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly items: readonly NewItem[];
};

const MAX_MODEL_BYTES = 256;
const MAX_CONTEXT_BYTES = 10_240;
const MAX_METADATA_DEPTH = 100;

export type ParseOptions = {
  /** Knows the names that a caller's tool may not have. */
  readonly isTaken: (name: string) => boolean;
  /** Whether callers may bring tools at all. */
  readonly externalTools: boolean;
  /** The items that the input refers to. */
  readonly known: KnownItems;
};

export function parseCreate(body: unknown, options: ParseOptions): CreateRequest {
  if (!isObject(body)) throw new InvalidRequest('invalid_request', null, 'The body must be a JSON object.');
  if (!options.externalTools) refuseTools(body);
  const model = parseModel(body['model']);
  const previousResponseId = parseString(body, 'previous_response_id', 'previous_response_not_found');
  const previous = previousResponseId === null ? undefined : parsePrevious(previousResponseId);
  const instructions = parseString(body, 'instructions', 'invalid_request');
  const context = parseContext(body['x_context']);
  const items = parseInput(body['input'], previous !== undefined, options.known);
  return {
    model,
    previous,
    previousResponseId,
    stream: parseStream(body['stream']),
    background: body['background'] === true,
    temperature: parseTemperature(body['temperature']),
    instructions,
    metadata: isObject(body['metadata']) && isShallow(body['metadata'], MAX_METADATA_DEPTH) ? body['metadata'] : {},
    tools: parseTools(body['tools'], options.isTaken),
    items: frameMessage(items, instructions, context),
  };
}

/** A service that was composed without external tools says which field asks for them. */
function refuseTools(body: Record<string, unknown>): void {
  const refuse = (param: string) =>
    new InvalidRequest(
      'invalid_request',
      param,
      `This service takes no ${param}: it runs without caller-defined tools.`,
    );
  const { tools, tool_choice: toolChoice } = body;
  if (tools !== undefined && tools !== null && !(Array.isArray(tools) && tools.length === 0)) throw refuse('tools');
  if (toolChoice !== undefined && toolChoice !== null) throw refuse('tool_choice');
}

function parseModel(model: unknown): string {
  const refuse = (message: string) => new InvalidRequest('invalid_request', 'model', message);
  if (typeof model !== 'string') throw refuse('model is required and must be a string.');
  if (model === '') throw refuse('model must not be empty.');
  if (model !== model.trim()) throw refuse('model must not begin or end with whitespace.');
  if (/\p{Cc}/u.test(model)) throw refuse('model must not hold control characters.');
  if (Buffer.byteLength(model) > MAX_MODEL_BYTES) throw refuse(`model must not exceed ${MAX_MODEL_BYTES} bytes.`);
  return model;
}

function parseString(
  body: Record<string, unknown>,
  field: string,
  code: 'invalid_request' | 'previous_response_not_found',
) {
  const value = body[field] ?? null;
  if (value !== null && typeof value !== 'string') throw new InvalidRequest(code, field, `${field} must be a string.`);
  return value;
}

function parsePrevious(id: string): ResponseKey {
  const place = parseResponseId(id);
  if (!place)
    throw new InvalidRequest(
      'previous_response_not_found',
      'previous_response_id',
      'previous_response_id is not the id of a response. Send the id as a create returned it.',
    );
  return place;
}

function parseStream(stream: unknown): boolean {
  if (stream === undefined || stream === null) return false;
  if (typeof stream !== 'boolean')
    throw new InvalidRequest('invalid_request', 'stream', 'stream must be true or false.');
  return stream;
}

function parseTemperature(temperature: unknown): number | null {
  if (temperature === undefined || temperature === null) return null;
  if (typeof temperature !== 'number' || temperature < 0 || temperature > 2)
    throw new InvalidRequest('invalid_request', 'temperature', 'temperature must be a number from 0.0 to 2.0.');
  return temperature;
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
