import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { chatCompletionsRoutes } from '#channels/chat-completions/routes.ts';
import { containersRoutes } from '#channels/containers/routes.ts';
import { filesRoutes } from '#channels/files/routes.ts';
import { gatewayRoutes } from '#channels/gateway/gateway-routes.ts';
import { sharedPageRoute, sharedRoutes } from '#channels/gateway/shares/shared-routes.ts';
import { signInRoutes } from '#channels/gateway/sign-in/sign-in.ts';
import { serveGatewaySocket } from '#channels/gateway/socket/socket.ts';
import { docsRoute } from '#channels/gateway/web-app/docs-page.ts';
import { readPageOf } from '#channels/gateway/web-app/pages.ts';
import { readAppPage, webAppRoutes } from '#channels/gateway/web-app/web-app.ts';
import { mcpServerRoutes } from '#channels/mcp/mcp-route.ts';
import { responsesRoutes } from '#channels/responses/routes.ts';
import { RESPONSES_SOCKETS, serveResponsesSockets } from '#channels/responses/socket/socket.ts';
import { slackUpdateRoute } from '#channels/slack/update-route.ts';
import { telegramUpdateRoute } from '#channels/telegram/update-route.ts';
import { vectorStoresRoutes } from '#channels/vector-stores/routes.ts';
import { judge, requireBearer } from '#http/caller/bearer.ts';
import { collectRoutes } from '#http/routes/collect-routes.ts';
import { mountRoutes } from '#http/routes/define-route.ts';
import { healthRoutes } from '#http/server/health.ts';
import { requireKnownHost } from '#http/server/known-hosts.ts';
import { allowBodies, createServer } from '#http/server/server.ts';
import { acceptWebSockets } from '#http/socket/web-sockets.ts';
import { packageFile } from '#program-files.ts';
import { isAway } from '#store/away.ts';
import { MAX_BODY_BYTES } from './facts.ts';
import type { Services } from './services.ts';

export type Gateway = {
  readonly server: FastifyInstance;
  /** Every route, such as `GET /api/status`. */
  readonly routes: readonly string[];
};

/** For routes that need no token, such as signing in. */
const PUBLIC_BODY_BYTES = 16 * 1024;
const WEB_FOLDER = packageFile('web/dist');

/** The server of the web gateway and the Responses API, with all routes; it doesn't listen yet. */
export async function createGateway(services: Services): Promise<Gateway> {
  const { config, log, site, metrics } = services;
  const server = createServer({
    maxBodyBytes: PUBLIC_BODY_BYTES,
    log,
    isAway,
    site,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    webSocketPaths: ['/api/ws', ...RESPONSES_SOCKETS],
    onAnswered: (status) => metrics.answered('gateway', status),
  });
  const { host: bindHost, allowedHosts } = config.gateway;
  const publicName = config.publicUrl === undefined ? [] : [new URL(config.publicUrl).hostname];
  requireKnownHost(server, { bindHost, names: [...publicName, hostname(), ...allowedHosts] });
  const routes = collectRoutes(server);
  await mountPublicRoutes(server, services);
  await server.register((app) => mountGuardedRoutes(app, services));
  return { server, routes };
}

/** Routes that need no token or check their callers themselves, and the pages of the browser app. */
async function mountPublicRoutes(server: FastifyInstance, services: Services): Promise<void> {
  const { chatAdmin, limitGuesses, signIn, site, parts } = services;
  const webFolder = parts.webFolder ?? WEB_FOLDER;
  const appPage = await readAppPage(webFolder);
  await server.register(healthRoutes(services.isReady, services.engine.replica));
  await server.register(signInRoutes({ signIn, site, appPage, limitGuesses }));
  await server.register(telegramUpdateRoute(chatAdmin, limitGuesses));
  await server.register(slackUpdateRoute(chatAdmin, limitGuesses));
  server.get('/openapi.json', async () => (await import('./describe-service.ts')).describeService());
  await server.register(docsRoute());
  mountRoutes(server, sharedRoutes, services);
  await server.register(sharedPageRoute(readPageOf(webFolder)));
  await server.register(webAppRoutes(webFolder, appPage));
}

/** Routes and WebSockets that need a token or a session. */
async function mountGuardedRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { auth, site, onError } = services;
  requireBearer(app, { ...auth, site, streams: services.openAnswers });
  allowBodies(app, MAX_BODY_BYTES);
  for (const rename of [(path: string) => path, (path: string) => path.replace('/api', '')]) {
    mountRoutes(app, responsesRoutes, services, rename);
    mountRoutes(app, chatCompletionsRoutes, services, rename);
    mountRoutes(app, filesRoutes, services, rename);
    mountRoutes(app, containersRoutes, services, rename);
    mountRoutes(app, vectorStoresRoutes, services, rename);
  }
  mountRoutes(app, gatewayRoutes, services);
  mountRoutes(app, mcpServerRoutes, services);
  await app.register(async (scope) => {
    const serve = await acceptWebSockets(scope, {
      maxBytes: MAX_BODY_BYTES,
      sockets: services.connections.sockets,
      judge: (request) => judge(request, { ...auth, site }),
      onRevoked: (listener) => auth.onRevoked(listener),
      onError,
    });
    serveGatewaySocket(serve, services);
    serveResponsesSockets(serve, services);
  });
}
