import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';

/** The one error envelope of every interface. */
export type ErrorEnvelope = {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string | null;
    readonly param: string | null;
  };
};

/** The only place where an error becomes a status. What is not a caller's mistake is a bug: logged, and told without details. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = toAnswer(error, request);
  if (status >= 500) request.log.error({ err: error }, 'a request failed');
  return reply.code(status).send(body);
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .send(envelope('not_found_error', 'not_found', `There is no ${request.method} ${pathOf(request)}.`));
}

function toAnswer(error: FastifyError | Error, request: FastifyRequest): { status: number; body: ErrorEnvelope } {
  if (error instanceof InvalidRequest)
    return { status: 400, body: envelope('invalid_request_error', error.code, error.message, error.param) };
  if (error instanceof NotFound) return { status: 404, body: envelope('not_found_error', 'not_found', error.message) };
  if (error instanceof Conflict) return { status: 409, body: envelope('conflict_error', error.code, error.message) };
  if ('code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return { status: 413, body: envelope('invalid_request_error', 'body_too_large', 'The request body is too large.') };
  if ('statusCode' in error && error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return { status: 400, body: envelope('invalid_request_error', 'invalid_request', error.message) };
  const message = `Something went wrong on our side. Quote the request id ${request.id} when you report it.`;
  return { status: 500, body: envelope('server_error', 'internal_error', message) };
}

function envelope(type: string, code: string, message: string, param: string | null = null): ErrorEnvelope {
  return { error: { message, type, code, param } };
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0];
