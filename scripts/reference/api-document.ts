import { gatewayDescription } from '#channels/gateway/openapi.ts';
import { responsesDescription } from '#channels/responses/openapi.ts';
import { webhookDescription } from '#channels/webhook/openapi.ts';
import { describeApi } from '#http/openapi.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** The routes by channel, as the page and the document have them. */
export const API_PARTS = {
  'Responses API': responsesDescription,
  Gateway: gatewayDescription,
  'Webhook channel': webhookDescription,
} as const;

/** What a running service serves at `/openapi.json`. */
export function apiDocument() {
  return describeApi({ title: 'Reborn', version: packageJson.version }, Object.values(API_PARTS).flat());
}
