import { z } from 'zod';

export const usageQuery = z.object({
  days: z.coerce
    .number('days must be a number.')
    .int('days must be a whole number.')
    .min(1, 'days must be at least 1.')
    .max(366, 'days must be at most 366.')
    .default(30),
});

const count = z.int().min(0);

const dayUsage = z.strictObject({
  day: z.iso.date(),
  user_id: z.string(),
  provider: z.string(),
  model: z.string(),
  calls: count,
  errors: count,
  input_tokens: count,
  cached_tokens: count,
  output_tokens: count,
  /** Without the calls whose price is not known. */
  cost_usd: z.string(),
  unpriced_calls: count,
  /** How long a call took on average. */
  latency_ms: count,
});

/** The body of `GET /api/usage`. Days are those of UTC. */
export const usageReport = z.strictObject({ usage: z.array(dayUsage) }).meta({ id: 'UsageReport' });
