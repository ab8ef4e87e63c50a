import { z } from 'zod';
import type { ModelPrice } from '#agent/administration/model-admin.ts';

/** What is known about a model, as fields of the API. */
export const contextTokens = z
  .int('context_tokens must be a number of tokens.')
  .min(1000, 'context_tokens must be at least 1000.')
  .max(100_000_000, 'context_tokens may be 100000000.');

export const reads = z.array(z.enum(['image', 'pdf']), 'reads must be a list of image and pdf.');

const dollars = z.number().min(0, "A price can't be negative.").max(1_000_000, 'A price may be 1000000.');

export const price = z.strictObject({ input_usd_per_million: dollars, output_usd_per_million: dollars });

export const renderPrice = (given: ModelPrice | null): z.infer<typeof price> | null =>
  given && { input_usd_per_million: given.inputPerMillion, output_usd_per_million: given.outputPerMillion };
