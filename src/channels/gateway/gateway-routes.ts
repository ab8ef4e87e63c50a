import { z } from 'zod';
import type { RouteDescription } from '#http/routes/openapi.ts';
import { assistantRoutes } from './assistants/assistant-routes.ts';
import { auditRoute } from './audit/audit-route.ts';
import { channelRoutes } from './channels/channel-routes.ts';
import { chatRoutes } from './chat/chat-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import { approvalRoutes } from './gates/approval-routes.ts';
import { gateRoutes } from './gates/gate-routes.ts';
import { pairingRoutes } from './gates/pairing-routes.ts';
import { activityRoute } from './health/activity-route.ts';
import { metricsRoute } from './health/metrics-route.ts';
import { replicasRoute } from './health/replicas-route.ts';
import { statusRoute } from './health/status-route.ts';
import { jobRoutes } from './jobs/job-routes.ts';
import { mcpOfferRoutes } from './mcp/mcp-offer-routes.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { forgetRoutes } from './memory/forget-route.ts';
import { memoryRoutes } from './memory/memory-routes.ts';
import { noteVersionRoutes } from './memory/version-routes.ts';
import { missionRoutes } from './missions/mission-routes.ts';
import { missionResultRoutes } from './missions/result-routes.ts';
import { modelsRoute } from './models/models-route.ts';
import { providerModelRoutes } from './models/provider-model-routes.ts';
import { providerRoutes } from './models/provider-routes.ts';
import { settingsRoutes } from './models/settings-routes.ts';
import { deliveryRoutes } from './notifications/delivery-routes.ts';
import { deviceRoutes } from './notifications/device-routes.ts';
import { notificationRoutes } from './notifications/notification-routes.ts';
import { projectFileRoutes } from './projects/project-file-routes.ts';
import { projectMemberRoutes } from './projects/project-member-routes.ts';
import { projectNoteRoutes } from './projects/project-note-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { retentionRoutes } from './retention/retention-routes.ts';
import { searchRoutes } from './search/search-routes.ts';
import { shareRoutes } from './shares/share-routes.ts';
import { signInLinkRoute } from './sign-in/sign-in-link-route.ts';
import { skillRoutes } from './skills/skill-routes.ts';
import { clientMessage, serverMessage } from './socket/socket-messages.ts';
import { templateRoutes } from './templates/template-routes.ts';
import { exportThread } from './threads/export-thread.ts';
import { importFromChatGpt } from './threads/import-route.ts';
import { inspectTurn } from './threads/inspect-turn.ts';
import { itemRoutes } from './threads/item-routes.ts';
import { queueRoutes } from './threads/queue-routes.ts';
import { ratingRoutes } from './threads/rating-routes.ts';
import { threadSearchRoutes } from './threads/search-routes.ts';
import { threadRoutes } from './threads/thread-routes.ts';
import { treeRoutes } from './threads/tree-route.ts';
import { versionRoutes } from './threads/version-routes.ts';
import { policyRoutes } from './tools/policy-routes.ts';
import { startersRoute } from './tools/starters-route.ts';
import { toolRoutes } from './tools/tool-routes.ts';
import { usageRoute } from './usage/usage-route.ts';
import { erasureRoutes } from './users/erasure-routes.ts';
import { exportMe } from './users/export-route.ts';
import { invitationRoutes } from './users/invitation-routes.ts';
import { limitRequestRoutes } from './users/limit-request-routes.ts';
import { meRoutes } from './users/me-route.ts';
import { sessionRoutes } from './users/session-routes.ts';
import { tokenRoutes } from './users/token-routes.ts';
import { userRoutes } from './users/user-routes.ts';
import { webhookRouteRoutes } from './webhook-routes/webhook-route-routes.ts';

/** Every HTTP route of the gateway that needs a token or a session. */
export const gatewayRoutes = [
  ...threadRoutes,
  ...projectRoutes,
  ...projectMemberRoutes,
  ...projectNoteRoutes,
  ...projectFileRoutes,
  ...itemRoutes,
  ...queueRoutes,
  ...versionRoutes,
  ...ratingRoutes,
  ...treeRoutes,
  ...fileRoutes,
  ...threadSearchRoutes,
  exportThread,
  importFromChatGpt,
  ...shareRoutes,
  inspectTurn,
  ...chatRoutes,
  ...gateRoutes,
  ...approvalRoutes,
  ...channelRoutes,
  ...pairingRoutes,
  ...jobRoutes,
  ...assistantRoutes,
  ...missionRoutes,
  ...missionResultRoutes,
  ...deliveryRoutes,
  ...notificationRoutes,
  ...deviceRoutes,
  ...memoryRoutes,
  ...forgetRoutes,
  ...noteVersionRoutes,
  ...skillRoutes,
  ...toolRoutes,
  startersRoute,
  ...policyRoutes,
  ...mcpRoutes,
  ...mcpOfferRoutes,
  ...templateRoutes,
  ...meRoutes,
  exportMe,
  ...webhookRouteRoutes,
  ...userRoutes,
  ...limitRequestRoutes,
  ...invitationRoutes,
  ...erasureRoutes,
  ...tokenRoutes,
  ...sessionRoutes,
  signInLinkRoute,
  modelsRoute,
  ...settingsRoutes,
  ...retentionRoutes,
  ...providerRoutes,
  ...providerModelRoutes,
  ...searchRoutes,
  usageRoute,
  auditRoute,
  statusRoute,
  replicasRoute,
  activityRoute,
  metricsRoute,
];

/** The WebSocket, which `socket/socket.ts` serves. */
export const socketDescription: RouteDescription = {
  method: 'get',
  path: '/api/ws',
  summary: 'Open a WebSocket that follows threads. Messages are JSON texts.',
  responses: {
    101: {
      description: 'Switching protocols. The client sends `client` messages, the server `server` messages.',
      json: z.strictObject({ client: clientMessage, server: serverMessage }),
    },
  },
  errors: [404],
};
