import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ModelDesk } from '#agent/administration/model-admin.ts';
import type { Operations } from '#agent/administration/operations.ts';
import { createSkillDesk } from '#agent/administration/skill-admin.ts';
import type { ToolDesk } from '#agent/administration/tool-admin.ts';
import type { Agent } from '#agent/agent.ts';
import { createPairings } from '#agent/gates/pairings.ts';
import { createStandingApprovals } from '#agent/gates/standing-approvals.ts';
import { createInspectTurn } from '#agent/inspection/inspect-turn.ts';
import type { Jobs } from '#agent/jobs.ts';
import { createUsage } from '#agent/spending/budget-usage.ts';
import { createLimitsDesk } from '#agent/spending/spending-limits.ts';
import type { Threads } from '#agent/threads.ts';
import type { Auth } from '#auth/auth.ts';
import { chatRoutes } from '#channels/gateway/chat/chat.ts';
import { approvalsRoute } from '#channels/gateway/gates/approvals.ts';
import { gatesRoute } from '#channels/gateway/gates/gates.ts';
import { pairingsRoute } from '#channels/gateway/gates/pairings.ts';
import { countAnswers, metricsRoute } from '#channels/gateway/health/metrics.ts';
import { replicasRoute } from '#channels/gateway/health/replicas.ts';
import { type StatusFacts, statusRoute } from '#channels/gateway/health/status.ts';
import { jobsRoute } from '#channels/gateway/jobs/jobs.ts';
import { memoryRoutes } from '#channels/gateway/memory/memory.ts';
import { settingsRoutes } from '#channels/gateway/models/settings.ts';
import { signInRoutes } from '#channels/gateway/sign-in/sign-in.ts';
import { signInLinkRoute } from '#channels/gateway/sign-in/sign-in-links.ts';
import { skillRoutes } from '#channels/gateway/skills/skills.ts';
import { socketRoute } from '#channels/gateway/socket/socket.ts';
import { attachmentRoute } from '#channels/gateway/threads/attachments.ts';
import { exportRoute } from '#channels/gateway/threads/export-thread.ts';
import { inspectRoute } from '#channels/gateway/threads/inspect-turn.ts';
import { threadRoutes } from '#channels/gateway/threads/threads.ts';
import { toolRoutes } from '#channels/gateway/tools/tools.ts';
import { usageRoute } from '#channels/gateway/usage/usage.ts';
import { accountRoutes } from '#channels/gateway/users/account-routes.ts';
import { type AppFacts, meRoute } from '#channels/gateway/users/me.ts';
import { docsRoute } from '#channels/gateway/web-app/docs-page.ts';
import { readAppPage, webAppRoutes } from '#channels/gateway/web-app/web-app.ts';
import { responsesRoutes } from '#channels/responses/routes.ts';
import type { Config } from '#config/config.ts';
import type { OpenDatabase } from '#database/open-database.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { Engine } from '#engine/engine.ts';
import { judge, requireBearer } from '#http/caller/bearer.ts';
import { createLimiter, type TakeUse } from '#http/caller/rate-limit.ts';
import { collectRoutes } from '#http/routes/collect-routes.ts';
import { healthRoutes } from '#http/server/health.ts';
import { requireKnownHost } from '#http/server/known-hosts.ts';
import { allowBodies, createServer } from '#http/server/server.ts';
import type { Memory } from '#memory/memory.ts';
import { packageFile } from '#program-files.ts';
import { isAway } from '#store/away.ts';
import type { Database } from '#store/connection.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import type { Skills } from '#tools/skills/skills.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** What the gateway is made of. */
export type GatewayParts = {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Database;
  readonly database: OpenDatabase;
  readonly auth: Auth;
  readonly takeUse: TakeUse;
  readonly engine: Engine;
  /** Whether turns can be accepted and run here. */
  readonly isReady: () => Promise<boolean>;
  readonly agent: Agent;
  readonly jobs: Jobs;
  readonly threads: Threads;
  readonly operations: Operations;
  readonly tools: ToolRegistry;
  readonly toolDesk: ToolDesk;
  readonly modelDesk: ModelDesk;
  readonly modelNames: () => Promise<string[]>;
  readonly memory: Memory;
  readonly skills: Skills;
  readonly threadUrl: ThreadUrl;
  readonly onError: (error: unknown) => void;
  /** false: callers may not bring tools. */
  readonly externalTools?: boolean;
  /** Where the browser app was built. */
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
const WEB_FOLDER = packageFile('web/dist');

/** The server of the web gateway and the Responses API, with every route; it doesn't listen yet. */
export async function createGateway(parts: GatewayParts): Promise<Gateway> {
  const { config, log, db, auth, agent, jobs, threads, operations, tools, threadUrl, onError } = parts;
  const site = { publicUrl: config.publicUrl };
  const server = createServer({
    maxBodyBytes: PUBLIC_BODY_BYTES,
    log,
    isAway,
    site,
    trustedProxies: config.trustedProxies,
    webSocketPath: '/api/ws',
  });
  const { host: bindHost, allowedHosts } = config.gateway;
  const publicName = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname];
  requireKnownHost(server, { bindHost, names: [...publicName, hostname(), ...allowedHosts] });
  const routeList = collectRoutes(server);
  const byStatus = countAnswers(server);
  const sockets = new Set<unknown>();
  const streams = new Set<unknown>();
  const limiter = createLimiter(parts.takeUse, { limit: config.chatRatePerMinute, windowSeconds: 60 });
  await server.register(healthRoutes(parts.isReady, parts.engine.replica));
  const webFolder = parts.webFolder ?? WEB_FOLDER;
  const appPage = await readAppPage(webFolder);
  const limitGuesses = createLimiter(parts.takeUse, { limit: config.signInRatePerMinute, windowSeconds: 60 });
  await server.register(signInRoutes({ signIn: auth.signIn, site, appPage, limitGuesses }));
  server.get('/openapi.json', async () => (await import('./describe-service.ts')).describeService());
  await server.register(docsRoute());
  await server.register(webAppRoutes(webFolder, appPage));
  await server.register(async (app) => {
    requireBearer(app, { ...auth, site });
    allowBodies(app, MAX_BODY_BYTES);
    const routes = responsesRoutes(agent, {
      toolNames: async () => new Set((await tools.current()).definitions().map(({ name }) => name)),
      externalTools: parts.externalTools ?? true,
      timeoutSeconds: config.responsesTimeoutSecs,
      limiter,
      modelNames: parts.modelNames,
      streams,
      threadUrl,
    });
    await app.register(routes, { prefix: '/api/v1' });
    await app.register(routes, { prefix: '/v1' });
    const chatOptions = { limiter, timeoutSeconds: config.responsesTimeoutSecs, threadUrl };
    await app.register(chatRoutes(agent, chatOptions), { prefix: '/api' });
    await app.register(jobsRoute(jobs), { prefix: '/api' });
    await app.register(gatesRoute(agent), { prefix: '/api' });
    await app.register(
      accountRoutes(
        auth.accounts,
        createLimitsDesk(db, (id) => auth.accounts.isUser(id)),
      ),
      { prefix: '/api' },
    );
    await app.register(signInLinkRoute(auth.signIn, site), { prefix: '/api' });
    await app.register(approvalsRoute(createStandingApprovals(db)), { prefix: '/api' });
    await app.register(pairingsRoute(createPairings(db)), { prefix: '/api' });
    await app.register(usageRoute(createUsage(db)), { prefix: '/api' });
    await app.register(memoryRoutes(parts.memory), { prefix: '/api' });
    await app.register(threadRoutes(threads), { prefix: '/api' });
    await app.register(inspectRoute(createInspectTurn(parts)), { prefix: '/api' });
    await app.register(toolRoutes(parts.toolDesk, site), { prefix: '/api' });
    await app.register(skillRoutes(createSkillDesk(parts)), { prefix: '/api' });
    await app.register(settingsRoutes(parts.modelDesk), { prefix: '/api' });
    await app.register(meRoute(auth.accounts, appFacts(config)), { prefix: '/api' });
    await app.register(replicasRoute(operations), { prefix: '/api' });
    await app.register(metricsRoute(operations, { byStatus, sockets, streams }));
    await app.register(attachmentRoute(threads), { prefix: '/api' });
    await app.register(exportRoute(threads), { prefix: '/api' });
    await app.register(
      socketRoute({
        agent,
        threads,
        jobs,
        limiter,
        maxBytes: MAX_BODY_BYTES,
        sockets,
        judge: (request) => judge(request, { ...auth, site }),
        onShutOut: (listener) => auth.onShutOut(listener),
        onError,
      }),
      { prefix: '/api' },
    );
    await app.register(statusRoute(agent, threads, statusFacts(parts)), { prefix: '/api' });
  });
  return { server, routes: routeList };
}

function statusFacts({ config, database, tools }: GatewayParts): StatusFacts {
  return {
    version: packageJson.version,
    startedAt: new Date(),
    model: { provider: config.model.provider, name: config.model.name },
    channels: { terminal: config.cli.enabled, gateway: config.gateway.enabled, webhook: config.webhook.enabled },
    database: { kind: database.kind, version: database.version },
    tools: async () => (await tools.current()).definitions().length,
  };
}

function appFacts(config: Config): AppFacts {
  const { provider, name } = config.model;
  return {
    version: packageJson.version,
    model: { provider, name },
    // Loaded on first use, since it brings the list of all models along.
    contextTokens: async () => (await import('#models/context-size.ts')).contextSizeOf(config.model).windowTokens,
    singleSignOn: config.oidc !== undefined,
    sendsPerMinute: config.chatRatePerMinute,
    bodyBytes: MAX_BODY_BYTES,
  };
}
