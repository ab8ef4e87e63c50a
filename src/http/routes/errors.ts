import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  Conflict,
  type ErrorValues,
  Forbidden,
  InvalidRequest,
  InvalidSecret,
  NotFound,
  RateLimited,
} from '#domain/errors.ts';
import { AttachmentUnavailable } from '#domain/thread/attachment.ts';

/** The error envelope of all interfaces. */
export type ErrorEnvelope = {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string | null;
    readonly param: string | null;
    readonly values?: ErrorValues;
  };
};

/** The only place where an error becomes a status. Anything but a caller's mistake is a bug: it is logged, and answered without details. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body } = toEnvelope(error, request.id);
  if (error instanceof RateLimited) reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfterSeconds)));
  if (status >= 500) request.log.error({ err: error }, 'a request failed');
  return reply.code(status).header('x-request-id', request.id).send(body);
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return answerError(new NotFound(`${request.method} ${pathOf(request)} does not exist.`), request, reply);
}

/** The status and body for an error; `id` is the request ID to quote when the service is at fault. */
export function toEnvelope(error: unknown, id: string): { status: number; body: ErrorEnvelope } {
  if (error instanceof InvalidRequest) {
    const { error: body } = envelope('invalid_request_error', error.code, error.message, error.param);
    return { status: 400, body: { error: { ...body, ...(error.values && { values: error.values }) } } };
  }
  if (error instanceof InvalidSecret)
    return { status: 401, body: envelope('authentication_error', 'invalid_secret', error.message) };
  if (error instanceof Forbidden) return { status: 403, body: envelope('permission_error', error.code, error.message) };
  if (error instanceof NotFound) return { status: 404, body: envelope('not_found_error', 'not_found', error.message) };
  if (error instanceof Conflict) return { status: 409, body: envelope('conflict_error', error.code, error.message) };
  if (error instanceof RateLimited)
    return { status: 429, body: envelope('rate_limit_error', 'rate_limited', error.message) };
  if (error instanceof AttachmentUnavailable)
    return { status: 503, body: envelope('server_error', 'attachment_unavailable', error.message) };
  return answerToFramework(error) ?? { status: 500, body: internalError(id) };
}

/** Errors that the framework raises before any handler runs. */
function answerToFramework(error: unknown): { status: number; body: ErrorEnvelope } | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        status: 413,
        body: envelope('invalid_request_error', 'body_too_large', 'The request body is too large.'),
      };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return {
        status: 400,
        body: envelope(
          'invalid_request_error',
          'invalid_request',
          'The length of the body differs from Content-Length.',
        ),
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { status: 400, body: envelope('invalid_request_error', 'invalid_request', WANTS_JSON) };
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { status: 404, body: envelope('not_found_error', 'not_found', 'There is nothing at this address.') };
    default:
      return undefined;
  }
}

export const WANTS_JSON = 'Send the body as JSON, with Content-Type: application/json.';

function internalError(id: string): ErrorEnvelope {
  const message = `The service failed to handle the request. Quote the request ID ${id} when you report it.`;
  return envelope('server_error', 'internal_error', message);
}

export function envelope(type: string, code: string, message: string, param: string | null = null): ErrorEnvelope {
  return { error: { message, type, code, param } };
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0];
