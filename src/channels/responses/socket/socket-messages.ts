import { z } from 'zod';
import { InvalidRequest } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { ErrorEnvelope } from '#http/routes/errors.ts';
import type { RouteDescription } from '#http/routes/openapi.ts';
import { parseJson } from '#http/routes/parse-json.ts';
import { createRequest } from '../request/create-request.ts';
import { type NumberedStreamEvent, streamEvent } from '../response/stream-event.ts';
import { type SteerEvent, steerEvent, steerMessage } from './steer-messages.ts';

/** A message to the client: an event as in a stream, one about steering, or an error. They repeat the `stream_id` of the request. */
export type SocketMessage = (NumberedStreamEvent | SocketError | SteerEvent) & {
  readonly stream_id?: string | undefined;
};

type SocketError = {
  readonly type: 'error';
  readonly status: number;
  readonly error: ErrorEnvelope['error'] & { readonly retry_after?: number };
};

const socketError = z.object({
  type: z.literal('error'),
  status: z.int(),
  error: z.object({
    type: z.string(),
    code: z.string().nullable(),
    message: z.string(),
    param: z.string().nullable(),
    retry_after: z.int().optional(),
  }),
  stream_id: z.string().optional(),
});

/** The WebSocket, which `socket.ts` serves. */
export const responsesSocketDescription: RouteDescription = {
  method: 'get',
  path: '/api/v1/responses',
  summary: 'Open a WebSocket. A message creates a response, whose events come back as messages, or steers one.',
  responses: {
    101: {
      description:
        'Switching protocols. The client sends the body of a create with the type `response.create`, or a `response.steer`; the server sends events.',
      json: z.strictObject({
        client: z.union([createRequest, steerMessage]),
        server: z.union([streamEvent, steerEvent, socketError]),
      }),
    },
  },
  errors: [404],
};

/** The JSON object of a message. */
export function parseMessage(text: string): Record<string, unknown> {
  const message = parseJson(text, NO_OBJECT);
  if (!isObject(message)) throw new InvalidRequest('invalid_request', null, NO_OBJECT);
  return message;
}

const NO_OBJECT = 'A message must be a JSON object, sent as text.';

const MAX_STREAM_ID_BYTES = 256;

/** The client's name for the request, if it has one that can be repeated. */
export function streamIdOf({ stream_id: id }: Record<string, unknown>): { stream_id?: string } {
  return typeof id === 'string' && Buffer.byteLength(id) <= MAX_STREAM_ID_BYTES ? { stream_id: id } : {};
}

/** The body of a create. A socket always streams and never runs in the background, so these fields don't count. */
export function toCreateBody(message: Record<string, unknown>): Record<string, unknown> {
  if (message['type'] !== 'response.create')
    throw new InvalidRequest('invalid_request', 'type', 'type must be "response.create" or "response.steer".');
  if (message['generate'] === false)
    throw new InvalidRequest(
      'invalid_request',
      'generate',
      'generate: false is not supported: a create always makes a response. Leave it out.',
    );
  return { ...message, stream: undefined, background: undefined };
}
