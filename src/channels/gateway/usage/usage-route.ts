import { z } from 'zod';
import type { UsageReports } from '#agent/spending/budget-usage.ts';
import type { Accounts } from '#auth/accounts.ts';
import { isOperator, type UserId } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';

type Services = { readonly accounts: Accounts; readonly usageReports: UsageReports };

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
  cost_usd: z.string().describe('Without the calls whose price is unknown.'),
  unpriced_calls: count,
  latency_ms: count.describe('The average duration of a call.'),
});

const storage = z
  .strictObject({
    bytes: count.describe('Of all files in messages and in the versions that are kept, each content once.'),
    limit_bytes: count.describe('The most that a user can store.'),
  })
  .describe("The caller's files.");

const limits = z
  .strictObject({
    tokens_per_day: z.number().nullable(),
    usd_per_day: z.number().nullable(),
    request: z
      .enum(['open', 'dismissed'])
      .nullable()
      .describe('Whether the caller has asked for more today, and an operator has dismissed it.'),
  })
  .describe('What the caller may spend in a day (UTC); null: not limited.');

export const usageRoute = defineRoute({
  method: 'get',
  path: '/api/usage',
  summary: 'List what model calls used, by day (UTC) and model, newest day first, and how much is stored.',
  query: z.object({
    days: z.coerce
      .number<string>('days must be a number.')
      .int('days must be a whole number.')
      .min(1, 'days must be at least 1.')
      .max(366, 'days must be at most 366.')
      .default(30),
  }),
  responses: {
    200: {
      description: "The caller's usage; for operators, everyone's.",
      json: z
        .strictObject({
          usage: z.array(dayUsage),
          names: z.record(z.string(), z.string()).describe('For operators: the names of users in the report, by id.'),
          limits,
          storage,
        })
        .meta({ id: 'UsageReport' }),
    },
  },
  errors: [400],
  async handle({ principal, query }, { accounts, usageReports }: Services) {
    const { bytes, limitBytes } = await usageReports.readStorage(principal);
    const usage = await usageReports.listUsage(principal, query.days);
    const ids = new Set(usage.map(({ userId }) => userId));
    const names = isOperator(principal) ? await accounts.namesOf(principal, [...ids]) : new Map<UserId, string>();
    return {
      usage: usage.map(renderUsage),
      names: Object.fromEntries(names),
      limits: renderLimits(await usageReports.readLimits(principal)),
      storage: { bytes, limit_bytes: limitBytes },
    };
  },
});

const renderLimits = (found: Awaited<ReturnType<UsageReports['readLimits']>>): z.infer<typeof limits> =>
  renderAs(limits, found, { request: found.request ? (found.request.dismissedAt ? 'dismissed' : 'open') : null });

type DayUsage = Awaited<ReturnType<UsageReports['listUsage']>>[number];

const renderUsage = (row: DayUsage): z.infer<typeof dayUsage> =>
  renderAs(dayUsage, row, {
    cached_tokens: row.cachedInputTokens,
    cost_usd: row.costUsd.toFixed(6),
    latency_ms: Math.round(row.milliseconds / Math.max(1, row.calls)),
  });
