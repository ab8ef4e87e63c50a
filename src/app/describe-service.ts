import { chatCompletionsRoutes } from '#channels/chat-completions/routes.ts';
import { containersRoutes } from '#channels/containers/routes.ts';
import { filesRoutes } from '#channels/files/routes.ts';
import { gatewayRoutes, socketDescription } from '#channels/gateway/gateway-routes.ts';
import { sharedRoutes } from '#channels/gateway/shares/shared-routes.ts';
import { mcpServerRoutes } from '#channels/mcp/mcp-route.ts';
import { responsesRoutes } from '#channels/responses/routes.ts';
import { responsesSocketDescription } from '#channels/responses/socket/socket-messages.ts';
import { vectorStoresRoutes } from '#channels/vector-stores/routes.ts';
import { webhookRoutes } from '#channels/webhook/routes.ts';
import { describeApi, type RouteDescription } from '#http/routes/openapi.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** The routes by channel. */
export const API_PARTS: Readonly<Record<string, readonly RouteDescription[]>> = {
  'Responses API': [...responsesRoutes, responsesSocketDescription],
  'Chat completions': chatCompletionsRoutes,
  Files: filesRoutes,
  Containers: containersRoutes,
  'Vector stores': vectorStoresRoutes,
  Gateway: [...gatewayRoutes, ...sharedRoutes, socketDescription],
  'Model Context Protocol': mcpServerRoutes,
  'Webhook channel': webhookRoutes,
};

let document: ReturnType<typeof describeApi> | undefined;

/** The content of `/openapi.json`. It is large and rarely requested, so it is created on first use. */
export function describeService() {
  document ??= describeApi({ title: 'Reborn', version: packageJson.version }, Object.values(API_PARTS).flat());
  return document;
}
