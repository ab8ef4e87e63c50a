import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import {
  REASONING_DETAILS,
  REASONING_EFFORTS,
  type ReasoningDetail,
  type ReasoningEffort,
  type Sampling,
} from '#domain/thread/sampling.ts';

/** How the model chooses its words. A value of the wrong type is ignored, and a number out of range is refused. */
export const TOP_P = numberField('top_p', 0, 1, 'The share of likely tokens that the model chooses from.');
export const PRESENCE_PENALTY = numberField('presence_penalty', -2, 2, 'Makes the model avoid tokens it has used.');
export const FREQUENCY_PENALTY = numberField(
  'frequency_penalty',
  -2,
  2,
  'Makes the model avoid tokens by how often it has used them.',
);

/** Not all models reason, and not all know every effort. */
export const REASONING_EFFORT = {
  schema: z.enum(REASONING_EFFORTS).nullish().describe('How long the model thinks before it answers.'),
  parse: (value: unknown): ReasoningEffort | undefined => REASONING_EFFORTS.find((known) => known === value),
};

export const REASONING = {
  schema: z
    .looseObject({
      effort: REASONING_EFFORT.schema,
      summary: z
        .enum(REASONING_DETAILS)
        .nullish()
        .describe('Adds a summary of what the model thought, if it gives one.'),
    })
    .nullish()
    .describe(
      '`effort`: how long the model thinks before it answers. `summary`: adds what it thought, as `reasoning` items, if the model gives it.',
    ),
  parse: (value: unknown): { effort: ReasoningEffort | undefined; detail: ReasoningDetail | undefined } => {
    const { effort, summary } = isObject(value) ? value : {};
    return {
      effort: REASONING_EFFORT.parse(effort),
      detail: REASONING_DETAILS.find((known) => known === summary),
    };
  },
};

/** undefined when a request sets none of it. */
export function toSampling(
  given: { readonly [Name in keyof Sampling]: Sampling[Name] | undefined },
): Sampling | undefined {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}

function numberField(name: string, least: number, most: number, meaning: string) {
  return {
    schema: z.number().min(least).max(most).nullish().describe(meaning),
    parse: (value: unknown): number | undefined => {
      if (typeof value !== 'number') return undefined;
      if (value < least || value > most)
        throw new InvalidRequest('invalid_request', name, `${name} must be a number from ${least} to ${most}.`);
      return value;
    },
    refused: `A number below ${least} or above ${most}.`,
  };
}
