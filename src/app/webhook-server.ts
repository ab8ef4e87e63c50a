import type { FastifyInstance } from 'fastify';
import type { CallbackRules } from '#agent/outbox/carriers.ts';
import { isCallbackAllowed } from '#channels/webhook/callback-url.ts';
import { eventRoutes } from '#channels/webhook/events/events.ts';
import { renderJob } from '#channels/webhook/job-shape.ts';
import { webhookRoutes } from '#channels/webhook/routes.ts';
import { limitAddresses, requireSecret } from '#channels/webhook/secret.ts';
import type { EnabledWebhook } from '#config/config.ts';
import { deriveSigningText, toSigningSecret } from '#domain/webhook/standard-webhooks.ts';
import { createLimiter } from '#http/caller/rate-limit.ts';
import { mountRoutes } from '#http/routes/define-route.ts';
import { healthRoutes } from '#http/server/health.ts';
import { createServer } from '#http/server/server.ts';
import type { Core } from './core.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** The server of the webhook channel, which does not listen yet. */
export async function createWebhook(core: Core, config: EnabledWebhook): Promise<FastifyInstance> {
  const { log, takeUse, agent, jobs, metrics } = core;
  const server = createServer({
    maxBodyBytes: MAX_BODY_BYTES,
    log,
    trustedProxies: core.config.trustedProxies,
    onAnswered: (status) => metrics.answered('webhook', status),
  });
  await server.register(healthRoutes(core.isReady));
  await server.register(async (app) => {
    limitAddresses(app, createLimiter(takeUse, { limit: config.ratePerMinute, windowSeconds: 60 }));
    await app.register(async (guarded) => {
      requireSecret(guarded, config.secret);
      mountRoutes(guarded, webhookRoutes, { agent, jobs, callbacks: { hosts: config.callbackHosts } });
    });
    await app.register(eventRoutes(agent, jobs, core.webhookRoutes));
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
