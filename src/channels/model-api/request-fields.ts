import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import { isShallow } from './json-value.ts';

const MAX_MODEL_BYTES = 256;
const MAX_TEMPERATURE = 2;
const MAX_METADATA_DEPTH = 100;

/**
 * The fields that mean the same in every model API. `schema` is published in the OpenAPI document; `parse` decides, and `refused`
 * says which values get status 400.
 */
export const MODEL = {
  schema: z
    .string()
    .min(1)
    .describe(`Routing hint, at most ${MAX_MODEL_BYTES} bytes, without surrounding whitespace or control characters.`),
  parse: parseModel,
  refused: 'Anything but such a name.',
};

export const STREAM = {
  schema: z.boolean().nullish().describe('Answer with server-sent events.'),
  parse: parseStream,
  refused: 'Anything but `true` or `false`.',
};

export const TEMPERATURE = {
  schema: z
    .number()
    .min(0)
    .max(MAX_TEMPERATURE)
    .nullish()
    .describe(`From 0 to ${MAX_TEMPERATURE}; passed on to the model.`),
  parse: parseTemperature,
  refused: 'Anything but such a number.',
};

export const METADATA = {
  schema: z.record(z.string(), z.unknown()).nullish().describe('Stored, and returned with the response.'),
  parse: parseMetadata,
};

/** A service without external tools refuses the fields that need them. */
export function refuseTools(body: Record<string, unknown>): void {
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

function parseStream(stream: unknown): boolean {
  if (stream === undefined || stream === null) return false;
  if (typeof stream !== 'boolean')
    throw new InvalidRequest('invalid_request', 'stream', 'stream must be true or false.');
  return stream;
}

function parseTemperature(temperature: unknown): number | null {
  if (temperature === undefined || temperature === null) return null;
  if (typeof temperature !== 'number' || temperature < 0 || temperature > MAX_TEMPERATURE)
    throw new InvalidRequest('invalid_request', 'temperature', 'temperature must be a number from 0.0 to 2.0.');
  return temperature;
}

/** Anything that is not an object, or is nested too deeply to be stored, is ignored. */
function parseMetadata(metadata: unknown): Record<string, unknown> {
  return isObject(metadata) && isShallow(metadata, MAX_METADATA_DEPTH) ? metadata : {};
}
