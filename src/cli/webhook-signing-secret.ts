import { readConfig } from '#config.ts';
import { deriveSigningSecret } from '#domain/standard-webhooks.ts';
import { printLine } from './print.ts';

/** It is made from HTTP_WEBHOOK_SECRET and doesn't give it away: who can check callbacks can't send messages. */
export function showSigningSecret(): void {
  const { webhook } = readConfig();
  if (!webhook.enabled) throw new Error('The webhook channel is off. Set HTTP_WEBHOOK_SECRET to what the service has.');
  printLine(deriveSigningSecret(webhook.secret));
}
