import { InvalidRequest } from '#domain/errors.ts';
import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';
import { InvalidTemplate, parseTemplate } from './message-template.ts';
import { checkVerifier } from './verify-event.ts';

/** Refuses a route whose templates can't be read, or whose secret can't verify anything. */
export function checkRoute({ verifier, header, message, conversation }: WebhookRoute, secret: string): void {
  checkTemplate('message', message);
  if (conversation !== null) checkTemplate('conversation', conversation);
  checkVerifier({ kind: verifier, secret, ...(header !== null && { header }) });
}

function checkTemplate(param: string, template: string): void {
  try {
    parseTemplate(template);
  } catch (error) {
    throw error instanceof InvalidTemplate ? new InvalidRequest('invalid_request', param, error.message) : error;
  }
}
