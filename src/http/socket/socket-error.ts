import { RateLimited } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { type ErrorEnvelope, toEnvelope } from '../routes/errors.ts';

/** The status and the error as over HTTP. Internal errors are logged with an id that the client can quote. */
export function renderSocketError(
  error: unknown,
  onError: (error: unknown) => void,
): { status: number; error: ErrorEnvelope['error'] & { retry_after?: number } } {
  const id = newId();
  const { status, body } = toEnvelope(error, id);
  if (status >= 500) onError(new Error(`A WebSocket message failed (${id}).`, { cause: error }));
  const wait = error instanceof RateLimited ? { retry_after: Math.max(1, Math.ceil(error.retryAfterSeconds)) } : {};
  return { status, error: { ...body.error, ...wait } };
}
