import { readConfig } from '#config.ts';
import { deriveSigningText, toSigningSecret } from '#domain/standard-webhooks.ts';
import { printLine } from './print.ts';

/** It is made from HTTP_WEBHOOK_SECRET and doesn't give it away: who can check callbacks can't send messages. */
export function showSigningSecret({ whsec }: { whsec?: true }): void {
  const { webhook } = readConfig();
  if (!webhook.enabled) throw new Error('The webhook channel is off. Set HTTP_WEBHOOK_SECRET to what the service has.');
  const text = deriveSigningText(webhook.secret);
  printLine(whsec ? toSigningSecret(text) : text);
}
