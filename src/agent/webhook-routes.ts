import type { UserId } from '#domain/principal.ts';
import type { WebhookRoute } from '#domain/webhook-route.ts';
import { recordAudit } from '#store/audit.ts';
import type { Database } from '#store/connection.ts';
import { deleteWebhookRoute, findWebhookRoute, insertWebhookRoute, listWebhookRoutes } from '#store/webhook-routes.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';

export type WebhookRoutes = ReturnType<typeof createWebhookRoutes>;

/** The routes of foreign senders, each with the secret by which its sender is known. */
export function createWebhookRoutes(db: Database, secrets: Secrets) {
  return {
    list: () => listWebhookRoutes(db),
    async find(name: string): Promise<{ route: WebhookRoute; secret: string } | undefined> {
      const route = await findWebhookRoute(db, name);
      const secret = route && (await secrets.inVault('everyone', (vault) => vault.find(secretName(name))));
      return route && secret && { route, secret: secret.reveal() };
    },
    /** The secret first: a route is never there without one. */
    async add(route: WebhookRoute, secret: string, actor: UserId): Promise<void> {
      if (await findWebhookRoute(db, route.name)) throw taken(route.name);
      await secrets.inVault('everyone', async (vault) => {
        await vault.claimKey();
        await vault.put(secretName(route.name), secret);
      });
      if (!(await insertWebhookRoute(db, route))) throw taken(route.name);
      await recordAudit(db, { actor, action: 'webhook-route.add', subject: route.name, detail: {} });
    },
    async remove(name: string, actor: UserId): Promise<void> {
      const existed = await deleteWebhookRoute(db, name);
      await secrets.inVault('everyone', (vault) => vault.remove(secretName(name)));
      if (!existed) throw new Error(`There is no route "${name}". \`reborn webhook route list\` shows them.`);
      await recordAudit(db, { actor, action: 'webhook-route.remove', subject: name, detail: {} });
    },
  };
}

/** No tool can name it: a colon is in no secret's name. */
const secretName = (route: string) => `webhook-route:${route}`;

const taken = (name: string) => new Error(`There is a route "${name}" already. Remove it first.`);
