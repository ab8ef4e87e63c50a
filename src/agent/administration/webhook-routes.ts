import { Conflict, NotFound } from '#domain/errors.ts';
import type { UserId } from '#domain/principal.ts';
import { webhookUser } from '#domain/thread/job.ts';
import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';
import { audited } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { deleteWebhookRoute, findWebhookRoute, insertWebhookRoute, listWebhookRoutes } from '#store/webhook-routes.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { checkAssistant } from '../assistants/assistants.ts';

export type WebhookRoutes = ReturnType<typeof createWebhookRoutes>;

/** Webhook routes for foreign senders, each with the secret that authenticates its sender. `check` refuses what can't work. */
export function createWebhookRoutes(
  db: Database,
  secrets: Secrets,
  check: (route: WebhookRoute, secret: string) => void,
) {
  return {
    list: () => listWebhookRoutes(db),
    async find(name: string): Promise<{ route: WebhookRoute; secret: string } | undefined> {
      const route = await findWebhookRoute(db, name);
      const secret = route && (await secrets.inVault('everyone', (vault) => vault.find(secretName(name))));
      return route && secret && { route, secret: secret.reveal() };
    },
    /** Writes route and secret together: neither exists without the other. */
    async add(route: WebhookRoute, secret: string, actor: UserId): Promise<void> {
      check(route, secret);
      if (route.assistant !== null) await checkAssistant(db, webhookUser(route.webhookUser), route.assistant);
      if (await findWebhookRoute(db, route.name)) throw taken(route.name);
      const name = secretName(route.name);
      const entry = { actor, action: 'webhook-route.add', subject: route.name, detail: {} };
      await secrets.inVault('everyone', async (vault, trx) => {
        await vault.claimKey();
        await vault.change((writer) => writer.put(name, secret), { action: 'secret.put', name, actor });
        const isAdded = await audited(trx, (writing) => insertWebhookRoute(writing, route), entry);
        if (!isAdded) throw taken(route.name);
      });
    },
    async remove(name: string, actor: UserId): Promise<void> {
      const secret = secretName(name);
      const entry = { actor, action: 'webhook-route.remove', subject: name, detail: {} };
      await secrets.inVault('everyone', async (vault, trx) => {
        await vault.change((writer) => writer.remove(secret), { action: 'secret.remove', name: secret, actor });
        const existed = await audited(trx, (writing) => deleteWebhookRoute(writing, name), entry);
        if (!existed) throw new NotFound(`The route "${name}" does not exist.`);
      });
    },
  };
}

/** No tool can name it, because names of secrets can't contain a colon. */
const secretName = (route: string) => `webhook-route:${route}`;

const taken = (name: string) => new Conflict('already_exists', `There is a route "${name}" already. Remove it first.`);
