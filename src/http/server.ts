import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, {
  errorCodes,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { InvalidRequest } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { announceClosing } from './connected.ts';
import { answerError, answerNotFound, WANTS_JSON } from './errors.ts';
import { sendText, UNAVAILABLE } from './plain-text.ts';
import { securityHeaders } from './security-headers.ts';
import { isHttps, type Site } from './site.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The SHA-256 of the body as it came, when the request carries an Idempotency-Key. */
    bodyDigest: string;
  }
}

export type ServerOptions = {
  readonly maxBodyBytes: number;
  readonly log: FastifyBaseLogger;
  /** Whether a handler failed because the database is away. It is then a plain-text 503; left out, it is a 500. */
  readonly isAway?: (error: unknown) => boolean;
  /** The proxies that may tell whom they speak for. */
  readonly trustedProxies?: readonly string[];
  readonly site?: Site;
  /** Where WebSockets are; everywhere else a request stays a request, whatever else it offers. */
  readonly webSocketPath?: string;
};

/** A server with what every HTTP channel shares: request ids, JSON bodies of a bounded size, and one error envelope. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { site = { publicUrl: undefined }, trustedProxies = [] } = options;
  const isUpgrade = ({ headers, url }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?', 1)[0] === options.webSocketPath;
  const app = Fastify({
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes,
    genReqId: () => newId(),
    forceCloseConnections: 'idle',
    // What some clients offer with any request, such as h2c, is passed over: only a WebSocket leaves HTTP.
    http: { shouldUpgradeCallback: isUpgrade },
    routerOptions: { maxParamLength: 256 },
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request, reply.headers(securityHeaders(isHttps(request, site)))),
  });
  announceClosing(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).headers(securityHeaders(isHttps(request, site)));
  });
  // Node has let go of it, so a refused one would stay open for good.
  app.addHook('onResponse', async ({ raw }) => {
    if (isUpgrade(raw)) raw.socket.destroySoon();
  });
  // Size comes before Content-Type: what announces too much is not read at all.
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (Number(request.headers['content-length']) > options.maxBodyBytes)
      throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    return payload;
  });
  // Plain JSON.parse: a field may be named __proto__ like any other unknown field, because nothing is merged.
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyDigest', '');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (request: FastifyRequest, body: string) => {
    if (request.headers['idempotency-key'] !== undefined)
      request.bodyDigest = createHash('sha256').update(body).digest('hex');
    return parseJson(body);
  });
  app.addContentTypeParser('*', async () => {
    throw new InvalidRequest('invalid_request', null, WANTS_JSON);
  });
  app.setErrorHandler((error, request, reply) =>
    options.isAway?.(error) ? sendText(reply, 503, UNAVAILABLE) : answerError(error, request, reply),
  );
  app.setNotFoundHandler(answerNotFound);
  return app;
}

function parseJson(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new InvalidRequest('invalid_request', null, 'The body is not valid JSON.');
  }
}
