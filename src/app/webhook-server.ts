import type { Logger } from 'pino';
import { createWebhookRoutes } from '#agent/administration/webhook-routes.ts';
import type { Agent } from '#agent/agent.ts';
import { type CallbackPace, startCallbacks } from '#agent/background/callbacks.ts';
import type { Jobs } from '#agent/jobs.ts';
import { isCallbackAllowed } from '#channels/webhook/callback-url.ts';
import { eventRoutes } from '#channels/webhook/events/events.ts';
import { renderJob } from '#channels/webhook/job-shape.ts';
import { webhookRoutes } from '#channels/webhook/routes.ts';
import { limitAddresses, requireSecret } from '#channels/webhook/secret.ts';
import type { EnabledWebhook } from '#config/config.ts';
import { deriveSigningText, toSigningSecret } from '#domain/standard-webhooks.ts';
import type { Egress } from '#egress/egress.ts';
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
  readonly egress: Egress;
  readonly takeUse: TakeUse;
  readonly agent: Agent;
  readonly jobs: Jobs;
  /** How often callbacks are retried. */
  readonly pace?: Partial<CallbackPace> | undefined;
  /** Called with the status of each answer. */
  readonly onAnswered: (status: number) => void;
  readonly onError: (error: unknown) => void;
};

const MAX_BODY_BYTES = 64 * 1024;

/** The server of the webhook channel, which does not listen yet, and the callback delivery. */
export async function createWebhook(parts: WebhookParts) {
  const { trustedProxies, log, db, secrets, egress, takeUse, agent, jobs, onError } = parts;
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
  const callbacks = startCallbacks({
    db,
    egress,
    render: async (job) => JSON.stringify(renderJob(await jobs.withResponse({ ...job, callback: null }))),
    secret: toSigningSecret(deriveSigningText(secret)),
    isAllowed: (url) => isCallbackAllowed(url, callbackRule),
    ...(parts.pace && { pace: parts.pace }),
    onDead: (job, error) => log.warn({ job: job.id, error }, 'a callback was abandoned'),
    onError,
  });
  return {
    server,
    async close() {
      await callbacks.stop();
      await server.close();
    },
  };
}
