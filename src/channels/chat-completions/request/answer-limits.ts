import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';

const MAX_STOPS = 4;
const MAX_STOP_CHARACTERS = 1024;

/** Where an answer ends at the latest. */
export const MAX_TOKENS = {
  schema: z
    .int()
    .min(1)
    .nullish()
    .describe('The most tokens of one answer of the model. A longer one is cut, with the reason `length`.'),
  parse: wholeNumber('max_tokens', 1),
};

const stopText = z.string().min(1).max(MAX_STOP_CHARACTERS);

export const STOP = {
  schema: z
    .union([stopText, z.array(stopText).max(MAX_STOPS)])
    .nullish()
    .describe('Ends the answer before the first of these texts.'),
  parse: parseStop,
};

export function wholeNumber(name: string, least: number) {
  return (value: unknown): number | undefined => {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    const limit = least > 0 ? ` of at least ${least}` : '';
    throw new InvalidRequest('invalid_request', name, `${name} must be a whole number${limit}.`);
  };
}

function parseStop(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const stops: unknown[] = Array.isArray(value) ? value : [value];
  const isStop = (stop: unknown): stop is string =>
    typeof stop === 'string' && stop !== '' && stop.length <= MAX_STOP_CHARACTERS;
  if (stops.length > MAX_STOPS || !stops.every(isStop))
    throw new InvalidRequest(
      'invalid_request',
      'stop',
      `stop must be a text of at most ${MAX_STOP_CHARACTERS} characters, or up to ${MAX_STOPS} of them.`,
    );
  return stops.length > 0 ? stops : undefined;
}
