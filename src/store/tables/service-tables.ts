import type { Generated, JSONColumnType } from 'kysely';
import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';

/** What belongs to the whole service. */
export type ServiceTables = {
  settings: { name: string; value: JSONColumnType<object>; updatedAt: Generated<Date> };
  audit: {
    id: Generated<string>;
    at: Generated<Date>;
    actor: string;
    action: string;
    subject: string | null;
    detail: JSONColumnType<Readonly<Record<string, unknown>>>;
  };
  webhookRoutes: WebhookRoute & { createdAt: Generated<Date> };
};
