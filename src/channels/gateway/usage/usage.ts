import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { UsageReports } from '#agent/spending/budget-usage.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { usageQuery, type usageReport } from './wire-usage.ts';

/** `GET /api/usage`: by day and model; a user's own, or for the operator everybody's. */
export function usageRoute(reports: UsageReports) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/usage', async (request): Promise<z.infer<typeof usageReport>> => {
      const { days } = parseBody(usageQuery, request.query);
      return { usage: (await reports.listUsage(request.principal, days)).map(renderUsage) };
    });
  };
}

type DayUsage = Awaited<ReturnType<UsageReports['listUsage']>>[number];

function renderUsage(row: DayUsage): z.infer<typeof usageReport>['usage'][number] {
  return {
    day: row.day,
    user_id: row.userId,
    provider: row.provider,
    model: row.model,
    calls: row.calls,
    errors: row.errors,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedInputTokens,
    output_tokens: row.outputTokens,
    cost_usd: row.costUsd.toFixed(6),
    unpriced_calls: row.unpricedCalls,
    latency_ms: Math.round(row.milliseconds / Math.max(1, row.calls)),
  };
}
