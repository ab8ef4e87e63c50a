import { gatewayDescription } from '#channels/gateway/openapi.ts';
import { responsesDescription } from '#channels/responses/openapi.ts';
import { webhookDescription } from '#channels/webhook/openapi.ts';
import { describeApi } from '#http/routes/openapi.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** The described routes by channel. */
export const API_PARTS = {
  'Responses API': responsesDescription,
  Gateway: gatewayDescription,
  'Webhook channel': webhookDescription,
} as const;

let document: ReturnType<typeof describeApi> | undefined;

/** What `/openapi.json` answers. Few ask for it and its schemas are large, so it is loaded and made on first use. */
export function describeService() {
  document ??= describeApi({ title: 'Reborn', version: packageJson.version }, Object.values(API_PARTS).flat());
  return document;
}
