import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createWebhookRoutes } from '#agent/administration/webhook-routes.ts';
import type { Agent } from '#agent/agent.ts';
import type { Jobs } from '#agent/jobs.ts';
import type { CallbackRules } from '#agent/outbox/carriers.ts';
import { isCallbackAllowed } from '#channels/webhook/callback-url.ts';
import { eventRoutes } from '#channels/webhook/events/events.ts';
import { renderJob } from '#channels/webhook/job-shape.ts';
import { webhookRoutes } from '#channels/webhook/routes.ts';
import { limitAddresses, requireSecret } from '#channels/webhook/secret.ts';
import type { EnabledWebhook } from '#config/config.ts';
import { deriveSigningText, toSigningSecret } from '#domain/webhook/standard-webhooks.ts';
import { createLimiter, type TakeUse } from '#http/caller/rate-limit.ts';
import { mountRoutes } from '#http/routes/define-route.ts';
import { healthRoutes } from '#http/server/health.ts';
import { createServer } from '#http/server/server.ts';
import type { Database } from '#store/connection.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

/** The parts of the webhook channel. */
export type WebhookParts = {
  readonly config: EnabledWebhook;
  readonly trustedProxies: readonly string[];
  readonly log: Logger;
  readonly db: Database;
  /** Whether turns can be accepted and run here. */
  readonly isReady: () => Promise<boolean>;
  readonly secrets: Secrets;
  readonly takeUse: TakeUse;
  readonly agent: Agent;
  readonly jobs: Jobs;
  /** Called with the status of each answer. */
  readonly onAnswered: (status: number) => void;
};

const MAX_BODY_BYTES = 64 * 1024;

/** The server of the webhook channel, which does not listen yet. */
export async function createWebhook(parts: WebhookParts): Promise<FastifyInstance> {
  const { trustedProxies, log, db, secrets, takeUse, agent, jobs } = parts;
  const { secret, ratePerMinute, callbackHosts } = parts.config;
  const callbackRule = { hosts: callbackHosts };
  const server = createServer({ maxBodyBytes: MAX_BODY_BYTES, log, trustedProxies, onAnswered: parts.onAnswered });
  await server.register(healthRoutes(parts.isReady));
  await server.register(async (app) => {
    limitAddresses(app, createLimiter(takeUse, { limit: ratePerMinute, windowSeconds: 60 }));
    await app.register(async (guarded) => {
      requireSecret(guarded, secret);
      mountRoutes(guarded, webhookRoutes, { agent, jobs, callbacks: callbackRule });
    });
    await app.register(eventRoutes(agent, jobs, createWebhookRoutes(db, secrets)));
  });
  return server;
}

/** How callbacks are rendered and signed, and which hosts get them. */
export function callbackRules({ secret, callbackHosts }: EnabledWebhook): CallbackRules {
  return {
    render: ({ job, response }) => JSON.stringify(renderJob({ job: { ...job, callback: null }, response })),
    secret: toSigningSecret(deriveSigningText(secret)),
    isAllowed: (url) => isCallbackAllowed(url, { hosts: callbackHosts }),
  };
}
