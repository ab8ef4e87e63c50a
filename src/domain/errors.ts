import type { Cell } from './cell/cell.ts';
import type { TurnId } from './ids.ts';

/** The request is invalid, and the message says what to change. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly code: InvalidRequestCode;
  /** The field that is wrong, or null when it is the whole request. */
  readonly param: string | null;
  /** The values of the code's sentence, for a client that writes its own. */
  readonly values: ErrorValues | undefined;

  constructor(code: InvalidRequestCode, param: string | null, message: string, values?: ErrorValues) {
    super(message);
    this.code = code;
    this.param = param;
    this.values = values;
  }
}

export type ErrorValues = Readonly<Record<string, string | number>>;

export type InvalidRequestCode =
  | 'invalid_request'
  | 'key_refused'
  | 'provider_unreachable'
  | 'invalid_tool'
  | 'no_pending_call'
  | 'call_id_mismatch'
  | 'tool_output_missing'
  | 'previous_response_not_found';

/** A webhook sender did not prove that it knows the secret. The message must not help an attacker who guesses. */
export class InvalidSecret extends Error {
  override readonly name = 'InvalidSecret';
}

/** The resource does not exist or belongs to another user; callers can't tell the two apart. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}

/** The caller is authenticated but lacks the permission. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
  readonly code: 'operator_only' | 'cross_site' | 'unknown_host' | 'sharing_off';

  constructor(code: Forbidden['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The user who is asked for has left for another cell. */
export class Misdirected extends Error {
  override readonly name = 'Misdirected';
  readonly cell: Cell;

  constructor(cell: Cell) {
    super(`This belongs to cell ${cell}.`);
    this.cell = cell;
  }
}

/** Conflicts with the current state of the resource. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  readonly code:
    | 'thread_busy'
    | 'thread_full'
    | 'idempotency_mismatch'
    | 'already_exists'
    | 'nothing_to_compact'
    | 'last_operator'
    | 'signed_in';

  constructor(code: Conflict['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Too many requests: the caller can retry later. */
export class RateLimited extends Error {
  override readonly name = 'RateLimited';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number, message: string) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The workspace has a newer version than the one that was changed. */
export class StaleWorkspace extends Error {
  override readonly name = 'StaleWorkspace';
}

/** Another attempt has taken over this turn, so this one must not write any more. */
export class Superseded extends Error {
  override readonly name = 'Superseded';

  constructor(turnId: TurnId) {
    super(`Turn ${turnId} was taken over by another attempt.`);
  }
}
