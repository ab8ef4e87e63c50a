import { RateLimited } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { toEnvelope } from '#http/routes/errors.ts';
import type { ServerMessage } from './socket-messages.ts';

type SocketError = Extract<ServerMessage, { type: 'error' }>['error'];

/** The same error as over HTTP. Internal errors are logged with an id that the client can quote. */
export function renderSocketError(error: unknown, onError: (error: unknown) => void): SocketError {
  const id = newId();
  const { status, body } = toEnvelope(error, id);
  if (status >= 500) onError(new Error(`A WebSocket message failed (${id}).`, { cause: error }));
  const wait = error instanceof RateLimited ? { retry_after: Math.max(1, Math.ceil(error.retryAfterSeconds)) } : {};
  return { ...body.error, ...wait };
}
