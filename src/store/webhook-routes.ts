import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';
import type { Audited } from './audit.ts';
import type { Database, OwnedTransaction } from './connection.ts';

/** Routes belong to the installation, like settings. */
export function findWebhookRoute(db: Database, name: string): Promise<WebhookRoute | undefined> {
  return db.selectFrom('webhookRoutes').select(columns).where('name', '=', name).executeTakeFirst();
}

export function listWebhookRoutes(db: Database): Promise<WebhookRoute[]> {
  return db.selectFrom('webhookRoutes').select(columns).orderBy('name').execute();
}

/** Returns false when the name is taken. */
export async function insertWebhookRoute(trx: Audited<OwnedTransaction>, route: WebhookRoute): Promise<boolean> {
  const inserted = await trx
    .insertInto('webhookRoutes')
    .values(route)
    .onConflict((taken) => taken.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Returns false when there was none. */
export async function deleteWebhookRoute(trx: Audited<OwnedTransaction>, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('webhookRoutes').where('name', '=', name).executeTakeFirst();
  return numDeletedRows > 0n;
}

const columns = ['name', 'verifier', 'header', 'webhookUser', 'message', 'conversation', 'assistant'] as const;
