import type { TurnId } from './ids.ts';

/** A caller's mistake: the request can't be taken as it is, and the message says what to change. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly code: InvalidRequestCode;
  /** The field that is wrong, or null when it is the whole request. */
  readonly param: string | null;

  constructor(code: InvalidRequestCode, param: string | null, message: string) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

export type InvalidRequestCode =
  | 'invalid_request'
  | 'invalid_tool'
  | 'no_pending_call'
  | 'call_id_mismatch'
  | 'tool_output_missing'
  | 'previous_response_not_found';

/** A webhook's sender could not show that it knows the secret. The message must not help somebody who guesses. */
export class InvalidSecret extends Error {
  override readonly name = 'InvalidSecret';
}

/** What was asked for does not exist, or belongs to somebody else: the two look alike. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** The caller is known, and may not do this. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
  readonly code: 'operator_only' | 'cross_site' | 'unknown_host';

  constructor(code: Forbidden['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The request is fine, but something is in its way. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly code: 'thread_busy' | 'thread_full' | 'idempotency_mismatch' | 'already_exists';

  constructor(code: Conflict['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Too many requests: the caller may come back after a while. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, message: string) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Another attempt has taken this turn over: whoever catches this writes nothing more. */
export class Superseded extends Error {
  override readonly name = 'Superseded';

  constructor(turnId: TurnId) {
    super(`Turn ${turnId} was taken over by another attempt.`);
  }
}
