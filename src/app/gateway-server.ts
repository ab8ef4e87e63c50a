import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createErasures } from '#agent/administration/erasures.ts';
import type { McpAdmin } from '#agent/administration/mcp-admin.ts';
import type { McpOfferReader } from '#agent/administration/mcp-offers.ts';
import type { ModelAdmin } from '#agent/administration/model-admin.ts';
import type { ModelCatalog } from '#agent/administration/model-catalog.ts';
import type { ModelProviders } from '#agent/administration/model-providers.ts';
import type { Operations } from '#agent/administration/operations.ts';
import { createPersonExport } from '#agent/administration/person-export.ts';
import { createRetentionAdmin } from '#agent/administration/retention-admin.ts';
import { createSkillAdmin } from '#agent/administration/skill-admin.ts';
import type { ToolAdmin } from '#agent/administration/tool-admin.ts';
import type { Agent } from '#agent/agent.ts';
import type { Attachments } from '#agent/attachments/attachments.ts';
import type { FetchLinks } from '#agent/attachments/fetch-links.ts';
import type { ChatAdmin } from '#agent/chats/chat-admin.ts';
import { createPairings } from '#agent/gates/pairings.ts';
import { createToolPolicies } from '#agent/gates/policy-settings.ts';
import { createStandingApprovals } from '#agent/gates/standing-approvals.ts';
import { createInputTokens } from '#agent/input/input-tokens.ts';
import { createInspectTurn } from '#agent/inspection/inspect-turn.ts';
import type { Jobs } from '#agent/jobs.ts';
import type { Missions } from '#agent/missions/missions.ts';
import type { Deliveries, Notifications } from '#agent/outbox/notifications.ts';
import type { Devices } from '#agent/outbox/push/devices.ts';
import type { UserPreferences } from '#agent/preferences.ts';
import { createUsage } from '#agent/spending/budget-usage.ts';
import type { Embeddings } from '#agent/spending/embeddings.ts';
import { createLimitsAdmin } from '#agent/spending/spending-limits.ts';
import type { Conversations } from '#agent/threads/conversations.ts';
import { createFolders } from '#agent/threads/folders.ts';
import { createLoadImage } from '#agent/threads/load-image.ts';
import { createPromptTemplates } from '#agent/threads/prompt-templates.ts';
import { createShares } from '#agent/threads/shares.ts';
import type { Threads } from '#agent/threads/threads.ts';
import type { Versions } from '#agent/threads/versions.ts';
import type { Auth } from '#auth/auth.ts';
import { chatCompletionsRoutes } from '#channels/chat-completions/routes.ts';
import { gatewayRoutes } from '#channels/gateway/gateway-routes.ts';
import type { StatusFacts } from '#channels/gateway/health/status-route.ts';
import { sharedPageRoute, sharedRoutes } from '#channels/gateway/shares/shared-routes.ts';
import { signInRoutes } from '#channels/gateway/sign-in/sign-in.ts';
import { serveGatewaySocket } from '#channels/gateway/socket/socket.ts';
import type { AppFacts } from '#channels/gateway/users/me-route.ts';
import { docsRoute } from '#channels/gateway/web-app/docs-page.ts';
import { readPageOf } from '#channels/gateway/web-app/pages.ts';
import { readAppPage, webAppRoutes } from '#channels/gateway/web-app/web-app.ts';
import { createMcpHandlerFor, mcpServerRoutes } from '#channels/mcp/mcp-route.ts';
import { responsesRoutes } from '#channels/responses/routes.ts';
import { RESPONSES_SOCKETS, serveResponsesSockets } from '#channels/responses/socket/socket.ts';
import { slackUpdateRoute } from '#channels/slack/update-route.ts';
import { telegramUpdateRoute } from '#channels/telegram/update-route.ts';
import type { Config } from '#config/config.ts';
import type { OpenDatabase } from '#database/open-database.ts';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { Engine } from '#engine/engine.ts';
import { judge, requireBearer } from '#http/caller/bearer.ts';
import type { OpenAnswers } from '#http/caller/open-answers.ts';
import { createLimiter, type TakeUse } from '#http/caller/rate-limit.ts';
import { collectRoutes } from '#http/routes/collect-routes.ts';
import { mountRoutes } from '#http/routes/define-route.ts';
import { healthRoutes } from '#http/server/health.ts';
import { requireKnownHost } from '#http/server/known-hosts.ts';
import { allowBodies, createServer } from '#http/server/server.ts';
import { createSocketPace } from '#http/socket/socket-pace.ts';
import { acceptWebSockets } from '#http/socket/web-sockets.ts';
import type { Lifecycle } from '#lifecycle/lifecycle.ts';
import type { Memory } from '#memory/memory.ts';
import { packageFile } from '#program-files.ts';
import { isAway } from '#store/away.ts';
import type { Database } from '#store/connection.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { Skills } from '#tools/skills/skills.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** The parts of the gateway. */
export type GatewayParts = {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Database;
  readonly database: OpenDatabase;
  readonly auth: Auth;
  readonly takeUse: TakeUse;
  readonly engine: Engine;
  readonly lifecycle: Lifecycle;
  /** Whether turns can be accepted and run here. */
  readonly isReady: () => Promise<boolean>;
  readonly agent: Agent;
  readonly jobs: Jobs;
  readonly missions: Missions;
  readonly deliveries: Deliveries;
  readonly chatAdmin: ChatAdmin;
  readonly notifications: Notifications;
  readonly devices: Devices;
  readonly threads: Threads;
  readonly versions: Versions;
  readonly attachments: Attachments;
  readonly conversations: Conversations;
  readonly operations: Operations;
  readonly tools: ToolRegistry;
  readonly toolAdmin: ToolAdmin;
  readonly mcpAdmin: McpAdmin;
  readonly mcpOffers: McpOfferReader;
  readonly modelAdmin: ModelAdmin;
  readonly modelProviders: ModelProviders;
  readonly modelCatalog: ModelCatalog;
  readonly preferences: UserPreferences;
  readonly modelNames: () => Promise<string[]>;
  readonly memory: Memory;
  readonly embeddings: Embeddings;
  readonly skills: Skills;
  readonly threadUrl: ThreadUrl;
  readonly fetchLinks: FetchLinks;
  readonly metrics: Metrics;
  readonly openAnswers: OpenAnswers;
  readonly onError: (error: unknown) => void;
  /** false: callers must not supply tools. */
  readonly externalTools?: boolean;
  /** The folder of the built browser app. */
  readonly webFolder?: string;
};

export type Gateway = {
  readonly server: FastifyInstance;
  /** Every route, such as `GET /api/status`. */
  readonly routes: readonly string[];
};

const MAX_BODY_BYTES = 14 * 1024 * 1024;
/** For routes that need no token, such as signing in. */
const PUBLIC_BODY_BYTES = 16 * 1024;
/** Pages of shared threads per client address. */
const VISITS_PER_MINUTE = 120;
const WEB_FOLDER = packageFile('web/dist');

/** The server of the web gateway and the Responses API, with all routes; it doesn't listen yet. */
export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { config, log, db, auth, agent, jobs, threads, operations, tools, threadUrl, onError } = parts;
  const site = { publicUrl: config.publicUrl };
  const server = createServer({
    maxBodyBytes: PUBLIC_BODY_BYTES,
    log,
    isAway,
    site,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    webSocketPaths: ['/api/ws', ...RESPONSES_SOCKETS],
    onAnswered: (status) => parts.metrics.answered('gateway', status),
  });
  const { host: bindHost, allowedHosts } = config.gateway;
  const publicName = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname];
  requireKnownHost(server, { bindHost, names: [...publicName, hostname(), ...allowedHosts] });
  const routeList = collectRoutes(server);
  const sockets = new Set<unknown>();
  const streams = new Set<unknown>();
  const limiter = createLimiter(parts.takeUse, { limit: config.chatRatePerMinute, windowSeconds: 60 });
  await server.register(healthRoutes(parts.isReady, parts.engine.replica));
  const webFolder = parts.webFolder ?? WEB_FOLDER;
  const appPage = await readAppPage(webFolder);
  const limitGuesses = createLimiter(parts.takeUse, { limit: config.signInRatePerMinute, windowSeconds: 60 });
  await server.register(signInRoutes({ signIn: auth.signIn, site, appPage, limitGuesses }));
  await server.register(telegramUpdateRoute(parts.chatAdmin, limitGuesses));
  await server.register(slackUpdateRoute(parts.chatAdmin, limitGuesses));
  server.get('/openapi.json', async () => (await import('./describe-service.ts')).describeService());
  await server.register(docsRoute());
  const shares = createShares({
    attachments: parts.attachments,
    db,
    engine: parts.engine,
    enabled: config.shareLinks,
    isUser: (id) => auth.accounts.isUser(id),
    findCell: auth.findCell,
  });
  const limitVisits = createLimiter(parts.takeUse, { limit: VISITS_PER_MINUTE, windowSeconds: 60 });
  mountRoutes(server, sharedRoutes, { shares, limitVisits });
  await server.register(sharedPageRoute(readPageOf(webFolder)));
  await server.register(webAppRoutes(webFolder, appPage));
  await server.register(async (app) => {
    requireBearer(app, { ...auth, site, streams: parts.openAnswers });
    allowBodies(app, MAX_BODY_BYTES);
    const shared = { agent, limiter, timeoutSeconds: config.responsesTimeoutSecs, threadUrl };
    const responses = {
      ...shared,
      toolNames: async (owner: Principal) =>
        new Set((await tools.current(owner)).definitions().map(({ name }) => name)),
      externalTools: parts.externalTools ?? true,
      toolLimits: config.responsesTools,
      fetchLinks: parts.fetchLinks,
      countInputTokens: createInputTokens(parts),
      modelNames: parts.modelNames,
      streams,
      threads,
      conversations: parts.conversations,
      embeddings: parts.embeddings,
    };
    mountRoutes(app, responsesRoutes, responses);
    mountRoutes(app, responsesRoutes, responses, (path) => path.replace('/api', ''));
    mountRoutes(app, chatCompletionsRoutes, responses);
    mountRoutes(app, chatCompletionsRoutes, responses, (path) => path.replace('/api', ''));
    mountRoutes(app, gatewayRoutes, {
      ...shared,
      jobs,
      missions: parts.missions,
      deliveries: parts.deliveries,
      chatAdmin: parts.chatAdmin,
      notifications: parts.notifications,
      devices: parts.devices,
      threads,
      shares,
      versions: parts.versions,
      operations,
      site,
      accounts: auth.accounts,
      signIn: auth.signIn,
      limits: createLimitsAdmin(db, (id) => auth.accounts.isUser(id)),
      retention: createRetentionAdmin({
        db,
        defaults: { ...DEFAULT_RETENTION, jobs: config.webhook.jobDays },
        isUser: (id) => auth.accounts.isUser(id),
      }),
      personExport: createPersonExport(db, auth.readAccount, parts.attachments),
      erasures: createErasures({
        db,
        engine: parts.engine,
        requests: auth.erasures,
        run: parts.lifecycle.erase,
        onError,
      }),
      approvals: createStandingApprovals(db),
      pairings: createPairings(db),
      policies: createToolPolicies(db),
      usageReports: createUsage(db),
      memory: parts.memory,
      inspect: createInspectTurn(parts),
      loadImage: createLoadImage(threads, parts.fetchLinks),
      toolAdmin: parts.toolAdmin,
      mcpAdmin: parts.mcpAdmin,
      mcpOffers: parts.mcpOffers,
      modelAdmin: parts.modelAdmin,
      modelProviders: parts.modelProviders,
      modelCatalog: parts.modelCatalog,
      preferences: parts.preferences,
      folders: createFolders(db),
      templates: createPromptTemplates(db),
      skills: createSkillAdmin(parts),
      appFacts: appFacts(parts),
      statusFacts: statusFacts(parts),
      connections: { sockets, streams },
    });
    const mcpHandler = createMcpHandlerFor({
      agent,
      memory: parts.memory,
      limiter,
      threadUrl,
      onError,
      version: packageJson.version,
    });
    mountRoutes(app, mcpServerRoutes, { mcpHandler, site });
    await app.register(async (scope) => {
      const serve = await acceptWebSockets(scope, {
        maxBytes: MAX_BODY_BYTES,
        sockets,
        judge: (request) => judge(request, { ...auth, site }),
        onRevoked: (listener) => auth.onRevoked(listener),
        onError,
      });
      const pace = createSocketPace();
      serveGatewaySocket(serve, { agent, threads, jobs, limiter, pace, onError });
      serveResponsesSockets(serve, { ...responses, pace, onError });
    });
  });
  return { server, routes: routeList };
}

function statusFacts({ config, database, tools, modelCatalog }: GatewayParts): StatusFacts {
  return {
    version: packageJson.version,
    startedAt: new Date(),
    model: () => modelCatalog.findDefault(),
    channels: { terminal: config.cli.enabled, gateway: config.gateway.enabled, webhook: config.webhook.enabled },
    database: { kind: database.kind, version: database.version },
    tools: async () => (await tools.current(OPERATOR)).definitions().length,
  };
}

function appFacts({ config, modelCatalog }: GatewayParts): AppFacts {
  return {
    version: packageJson.version,
    model: async () => {
      const route = await modelCatalog.findDefault();
      // Loaded on first use, because it imports the catalogue of all models.
      const { contextSizeOf } = await import('#models/context-size.ts');
      return { provider: route.provider, name: route.name, contextTokens: contextSizeOf(route).windowTokens };
    },
    singleSignOn: config.oidc !== undefined,
    sharing: config.shareLinks,
    sendsPerMinute: config.chatRatePerMinute,
    bodyBytes: MAX_BODY_BYTES,
  };
}
