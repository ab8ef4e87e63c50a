import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { InvalidRequest } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { answerError, answerNotFound } from './errors.ts';

/** A server with what every HTTP channel shares: request ids, JSON bodies of a bounded size, and one error envelope. */
export function createServer(options: { maxBodyBytes: number; log: FastifyBaseLogger }): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.maxBodyBytes,
    genReqId: () => newId(),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 256 },
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  // Plain JSON.parse: a field may be named __proto__ like any other unknown field, because nothing is merged.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_request: unknown, body: string) =>
    parseJson(body),
  );
  app.addContentTypeParser('*', async () => {
    throw new InvalidRequest('invalid_request', null, 'Send the body as JSON, with Content-Type: application/json.');
  });
  app.setErrorHandler(answerError);
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
