import { z } from 'zod';
import type { TurnReply } from '#agent/watch/turn-reply.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { FailureCode } from '#domain/thread/turn.ts';
import { FAILURE_CODES, failureOf } from './turn-failure.ts';

/** A turn that was accepted and then failed or was cancelled. */
export const failedTurn = z
  .strictObject({
    error: z.strictObject({
      message: z.string().min(1),
      type: z.literal('invalid_request_error'),
      code: z.enum([...FAILURE_CODES, 'cancelled']),
      param: z.null(),
    }),
  })
  .meta({ id: 'FailedTurn' });

type FailedTurn = z.infer<typeof failedTurn>;

/** undefined for a turn that has an answer. */
export function renderFailure(reply: TurnReply, threadUrl: ThreadUrl): FailedTurn | undefined {
  const { turn } = reply;
  const failure = failureOf(reply, threadUrl);
  if (failure) return toError(failure.code, failure.message);
  if (turn.status !== 'cancelled') return undefined;
  return toError('cancelled', 'The turn was cancelled. Send the request again if that was a mistake.');
}

/** A stream has no status, and clients judge by the type: they would repeat the request after a `server_error`. */
export const toError = (code: FailedTurn['error']['code'], message: string): FailedTurn => ({
  error: { message, type: 'invalid_request_error', code, param: null },
});

/** A person must do something before the same request can succeed. */
const NEEDS_PERSON: ReadonlySet<FailureCode | 'cancelled'> = new Set([
  'approval_required',
  'authentication_required',
  'pairing_required',
  'input_required',
  'budget_exceeded',
]);

/**
 * Never a status that clients retry by themselves (408, 409, 429, 5xx): the turn has run, and its tools would run again. The
 * service has already retried the model.
 */
export const statusOf = ({ error }: FailedTurn): 400 | 403 => (NEEDS_PERSON.has(error.code) ? 403 : 400);
