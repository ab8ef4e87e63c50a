import type { IncomingMessage } from 'node:http';
import Fastify, { errorCodes, type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { USER_MOVING } from '#domain/cell/user-move.ts';
import { InvalidRequest, Misdirected } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { parseTraceparent } from '#domain/trace/trace-context.ts';
import { refuse } from '../caller/bearer.ts';
import { isHttps, type Site } from '../caller/site.ts';
import { sendText, UNAVAILABLE } from '../plain-text.ts';
import { answerError, answerNotFound, WANTS_JSON } from '../routes/errors.ts';
import { refuseNullInUrl } from '../routes/null-characters.ts';
import { takeJson } from '../routes/take-json.ts';
import { answerClientError } from './client-errors.ts';
import { announceClosing } from './connected.ts';
import { closeAfterGrace, limitUnauthenticated } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { type BodyLimits, boundBodyTime, discardUnreadBodies } from './unread-body.ts';

export type ServerOptions = {
  /** The largest body of a route that sets no limit. */
  readonly maxBodyBytes: number;
  readonly log: FastifyBaseLogger;
  /** Whether a handler failed because the database is unavailable, which is answered with a plain-text 503 instead of a 500. */
  readonly isAway?: (error: unknown) => boolean;
  /** The proxies whose forwarding headers are trusted. */
  readonly trustedProxies?: readonly string[];
  readonly site?: Site;
  /** The only paths where a request may be upgraded to a WebSocket. */
  readonly webSocketPaths?: readonly string[];
  readonly clientLimits?: Partial<ClientLimits>;
  /** Origins whose pages may use the API with a token. */
  readonly corsOrigins?: readonly string[];
  /** Called with the status of each answer. */
  readonly onAnswered?: (status: number) => void;
};

/** Limits on what a client may use before it has authenticated, and on how slow it may be. */
export type ClientLimits = BodyLimits & {
  /** From the first byte of a request, or from opening the connection, to the end of the headers. */
  readonly headersMs: number;
  /** Between two requests on one connection. Longer than the one minute that common proxies keep connections. */
  readonly keepAliveMs: number;
  /** The number of unauthenticated connections. */
  readonly unauthenticated: number;
  /** How long a closing server waits for clients. */
  readonly graceMs: number;
};

const DEFAULT_LIMITS: ClientLimits = {
  headersMs: 15_000,
  keepAliveMs: 72_000,
  unauthenticatedMs: 10_000,
  authenticatedMs: 120_000, // 14 MiB at 1 Mbit/s
  idleMs: 15_000,
  unauthenticated: 1024,
  graceMs: 3000,
};

/** How often Node checks for connections with late headers. */
const CHECK_MS = 1000;

/** A server with everything that the HTTP channels share: request IDs, JSON bodies of bounded size, and one error envelope. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { site = { publicUrl: undefined }, trustedProxies = [], webSocketPaths = [] } = options;
  const clientLimits = { ...DEFAULT_LIMITS, ...options.clientLimits };
  const isUpgrade = ({ headers, url }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' && webSocketPaths.includes(url?.split('?', 1)[0] ?? '');
  const app = Fastify({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes,
    childLoggerFactory: (log, bindings, childOptions, { headers }) => {
      const trace = parseTraceparent(headers['traceparent']);
      return log.child(trace ? { ...bindings, traceId: trace.traceId } : bindings, childOptions);
    },
    genReqId: () => newId(),
    forceCloseConnections: 'idle',
    keepAliveTimeout: clientLimits.keepAliveMs,
    http: {
      // Other upgrades that some clients offer, such as h2c, are ignored: only a WebSocket leaves HTTP.
      shouldUpgradeCallback: isUpgrade,
      headersTimeout: clientLimits.headersMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, clientLimits.headersMs),
    },
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request, reply.headers(securityHeaders(isHttps(request, site)))),
  });
  announceClosing(app);
  closeAfterGrace(app, clientLimits.graceMs);
  limitUnauthenticated(app, clientLimits.unauthenticated);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).headers(securityHeaders(isHttps(request, site)));
  });
  allowOrigins(app, options.corsOrigins ?? []);
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answerNotFound(request, reply); // before the body is read
  });
  // Node has released the connection of an upgrade request. If the upgrade is refused, the connection must be closed here.
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (isUpgrade(raw)) reply.header('connection', 'close');
    return payload;
  });
  app.addHook('onResponse', async ({ raw }, { statusCode }) => {
    options.onAnswered?.(statusCode);
    if (isUpgrade(raw)) raw.socket.destroySoon();
  });
  // Size comes before Content-Type: a body that is declared too large is not read at all.
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (Number(request.headers['content-length']) > (request.routeOptions.bodyLimit ?? options.maxBodyBytes))
      throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    return payload;
  });
  refuseNullInUrl(app);
  boundBodyTime(app, clientLimits);
  discardUnreadBodies(app);
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyDigest', '');
  takeJson(app);
  app.addContentTypeParser('*', async () => {
    throw new InvalidRequest('invalid_request', null, WANTS_JSON);
  });
  app.setErrorHandler((error, request, reply) => {
    if (options.isAway?.(error)) {
      request.log.warn({ err: error }, 'the database did not answer a request');
      return sendText(reply, 503, UNAVAILABLE);
    }
    if (isMoving(error)) return refuse(reply, { outcome: 'moving' });
    if (error instanceof Misdirected) return refuse(reply, { outcome: 'elsewhere', cell: error.cell, isGuess: false });
    return answerError(error, request, reply);
  });
  app.setNotFoundHandler(answerNotFound);
  return app;
}

const isMoving = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === USER_MOVING;

/** Allows larger bodies on the routes that are added to `app` from now on. */
export function allowBodies(app: FastifyInstance, maxBytes: number): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= maxBytes;
  });
}

const STRICT = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"].join('; ');

/** For every answer. A page that needs more sets its own policy. */
function securityHeaders(https: boolean): Record<string, string> {
  return {
    'content-security-policy': STRICT,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(https && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
